#include "lab/answer_checker.h"

#include <gtest/gtest.h>

#include <string>

#include "lab/answer.h"

namespace slipstream::lab {
namespace {

using State = AnswerChecker::State;

constexpr std::string_view kStreamHead =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    "x-slipstream: follower; flight=ab12\r\nconnection: close\r\n\r\n";

AnswerWriter writer(std::uint64_t call) {
  StubRequest request;
  return AnswerWriter(request, call, 3, 0);
}

std::string token(std::uint64_t call, int index) {
  std::string out;
  writer(call).append(out, StepKind::kToken, index);
  return out;
}

std::string finish() {
  std::string out;
  writer(1).append(out, StepKind::kFinish);
  return out;
}

std::string done() {
  std::string out;
  writer(1).append(out, StepKind::kDone);
  return out;
}

std::string sound() {
  return token(1, 0) + token(1, 1) + token(1, 2) + finish() + done();
}

// The verdict on a whole stream that ends with its connection.
Answer judge(const std::string& events, TokenCheck tokens = TokenCheck::kStub) {
  AnswerChecker checker(Delivery::kStreamed, tokens);
  checker.begin();
  if (checker.feed(std::string(kStreamHead) + events) == State::kReading) checker.finish();
  return checker.answer();
}

Answer judge_whole(const std::string& response) {
  AnswerChecker checker(Delivery::kWhole, TokenCheck::kStub);
  checker.begin();
  if (checker.feed(response) == State::kReading) checker.finish();
  return checker.answer();
}

std::string whole_response(const std::string& body, const std::string& fields = "") {
  return "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: " +
         std::to_string(body.size()) + "\r\n" + fields + "\r\n" + body;
}

TEST(AnswerChecker, AcceptsASoundStream) {
  const Answer answer = judge(sound());
  EXPECT_EQ(answer.defect, Defect::kNone) << answer.detail;
  EXPECT_EQ(answer.call, 1U);
  EXPECT_EQ(answer.tokens, 3U);
  EXPECT_EQ(answer.content_events, 3U);
  EXPECT_EQ(answer.role, Role::kFollower);
}

TEST(AnswerChecker, VerdictIsTheSameForEverySplit) {
  const std::string bytes = std::string(kStreamHead) + sound();
  const std::uint64_t hash = judge(sound()).body_hash;
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    AnswerChecker checker(Delivery::kStreamed, TokenCheck::kStub);
    checker.begin();
    checker.feed(std::string_view(bytes).substr(0, split));
    checker.feed(std::string_view(bytes).substr(split));
    EXPECT_EQ(checker.finish(), State::kComplete);
    ASSERT_EQ(checker.answer().defect, Defect::kNone) << split;
    EXPECT_EQ(checker.answer().body_hash, hash);
  }
}

TEST(AnswerChecker, SeesEveryKindOfCorruption) {
  EXPECT_EQ(judge(token(1, 0) + token(2, 1) + finish() + done()).defect, Defect::kMixedCalls);
  EXPECT_EQ(judge(token(1, 0) + token(1, 2) + finish() + done()).defect, Defect::kTokenGap);
  EXPECT_EQ(judge(token(1, 1) + finish() + done()).defect, Defect::kTokenGap);
  EXPECT_EQ(judge(token(1, 0) + token(1, 0) + finish() + done()).defect, Defect::kTokenGap);
  EXPECT_EQ(judge(token(1, 0) + finish()).defect, Defect::kNoDone);
  EXPECT_EQ(judge(token(1, 0) + done()).defect, Defect::kNoFinish);
  EXPECT_EQ(judge(done()).defect, Defect::kNoFinish);
  EXPECT_EQ(judge(sound() + token(1, 3)).defect, Defect::kAfterDone);
  EXPECT_EQ(judge("data: {\"error\":{}}\n\n").defect, Defect::kErrorEvent);
  EXPECT_EQ(judge("data: {\"choices\":\n\n").defect, Defect::kBadEvent);
  EXPECT_EQ(judge("data: [1]\n\n").defect, Defect::kBadEvent);
  EXPECT_EQ(judge("event: ping\n\n").defect, Defect::kBadEvent);
  EXPECT_EQ(judge(sound() + "data: half").defect, Defect::kBadEvent);
  EXPECT_EQ(judge(R"(data: {"choices":[{"index":0,"text":"hello"}]})"
                  "\n\n" +
                  finish() + done())
                .defect,
            Defect::kNotTokens);
}

TEST(AnswerChecker, IgnoresCommentsAndForeignText) {
  EXPECT_EQ(judge(": hello\n\n" + sound()).body_hash, judge(sound()).body_hash);
  const std::string foreign = R"(data: {"choices":[{"index":0,"delta":{"content":"hi"}}]})"
                              "\n\n";
  const Answer answer = judge(foreign + finish() + done(), TokenCheck::kNone);
  EXPECT_EQ(answer.defect, Defect::kNone);
  EXPECT_EQ(answer.call, std::nullopt);
}

TEST(AnswerChecker, JudgesWholeAnswers) {
  const std::string body = writer(5).whole();
  const Answer good = judge_whole(whole_response(body, "x-slipstream: role=leader\r\n"));
  EXPECT_EQ(good.defect, Defect::kNone) << good.detail;
  EXPECT_EQ(good.call, 5U);
  EXPECT_EQ(good.tokens, 3U);
  EXPECT_EQ(good.role, Role::kLeader);
  EXPECT_EQ(judge_whole(whole_response(body.substr(0, 40))).defect, Defect::kBadEvent);
  EXPECT_EQ(judge_whole(whole_response(body).substr(0, 120)).defect, Defect::kCut);
  EXPECT_EQ(judge_whole(whole_response(body) + "x").defect, Defect::kFraming);
  EXPECT_EQ(judge_whole("").defect, Defect::kCut);
  EXPECT_EQ(judge_whole("nonsense\r\n\r\n").defect, Defect::kFraming);
  EXPECT_EQ(judge_whole(std::string(kStreamHead)).defect, Defect::kContentType);
  const Answer busy = judge_whole("HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nno\nt");
  EXPECT_EQ(busy.defect, Defect::kStatus);
  EXPECT_EQ(busy.detail, "503 no t");
}

TEST(AnswerChecker, TakesAnswersInTurnOnOneConnection) {
  AnswerChecker checker(Delivery::kWhole, TokenCheck::kStub);
  for (std::uint64_t call = 1; call <= 3; ++call) {
    checker.begin();
    ASSERT_EQ(checker.feed(whole_response(writer(call).whole())), State::kComplete);
    EXPECT_EQ(checker.answer().defect, Defect::kNone);
    EXPECT_EQ(checker.answer().call, call);
    EXPECT_TRUE(checker.keep_alive());
  }
}

}  // namespace
}  // namespace slipstream::lab
