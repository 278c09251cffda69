// What a Parser's caller may rely on beside the accept/reject list of parser_test.cc.
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "http/parser.h"
#include "http/transcript.h"

namespace slipstream::http {
namespace {

std::string get(const std::string& fields) {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}
std::string post(const std::string& fields, const std::string& body) {
  return "POST /p HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body;
}
std::string answer(const std::string& fields, const std::string& body) {
  return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body;
}

Parser with_head(Parser::Kind kind, std::string_view bytes) {
  Parser parser(kind, Limits{});
  EXPECT_EQ(parser.next(bytes), Parser::Step::kHead) << sentence_of(parser.refusal());
  EXPECT_TRUE(bytes.empty());
  return parser;
}

TEST(Parser, DeliversTheHead) {
  const Parser parser = with_head(Parser::Kind::kRequest,
                                  "POST /v1/x?a=1?b HTTP/1.1\r\nHOST: a\r\nX-Two:  b c "
                                  "\t\r\nx-two: d\r\nExpect: 100-Continue\r\n"
                                  "Content-Length: 3\r\nEmpty:\r\n\r\n");
  const Head& head = parser.head();
  EXPECT_EQ(head.method(), "POST");
  EXPECT_EQ(head.target(), "/v1/x?a=1?b");
  EXPECT_EQ(head.path(), "/v1/x");
  EXPECT_EQ(head.query(), "a=1?b");
  EXPECT_EQ(head.find("x-two"), "b c");
  EXPECT_EQ(head.find("host"), "a");
  EXPECT_EQ(head.field(2).value, "d");
  EXPECT_TRUE(head.has("empty"));
  EXPECT_EQ(head.find("empty"), "");
  EXPECT_FALSE(head.has("absent"));
  EXPECT_EQ(head.field_count(), 6u);
  EXPECT_EQ(head.content_length(), 3u);
  EXPECT_EQ(head.framing(), Framing::kLength);
  EXPECT_TRUE(head.expects_continue());
}

TEST(Parser, TellsWhetherTheConnectionMayBeReused) {
  const auto keep = [](const std::string& version, const std::string& fields) {
    return with_head(Parser::Kind::kRequest,
                     "GET / " + version + "\r\nHost: a\r\n" + fields + "\r\n")
        .head()
        .keep_alive();
  };
  EXPECT_TRUE(keep("HTTP/1.1", ""));
  EXPECT_TRUE(keep("HTTP/1.1", "Connection: te, upgrade\r\n"));
  EXPECT_FALSE(keep("HTTP/1.1", "Connection: close\r\n"));
  EXPECT_FALSE(keep("HTTP/1.1", "Connection: keep-alive , CLOSE\r\n"));
  EXPECT_FALSE(keep("HTTP/1.1", "Connection: te\r\nConnection: close\r\n"));
  EXPECT_FALSE(keep("HTTP/1.0", ""));
  EXPECT_TRUE(keep("HTTP/1.0", "Connection: Keep-Alive\r\n"));
}

TEST(Parser, TrailersNeverBecomeFields) {
  Parser parser(Parser::Kind::kRequest, Limits{});
  const std::string bytes =
      post("Transfer-Encoding: chunked\r\n", "0\r\nAuthorization: Bearer x\r\nHost: evil\r\n\r\n");
  std::string_view input = bytes;
  ASSERT_EQ(parser.next(input), Parser::Step::kHead);
  ASSERT_EQ(parser.next(input), Parser::Step::kComplete);
  EXPECT_FALSE(parser.head().has("authorization"));
  EXPECT_EQ(parser.head().field_count(), 2u);
}

TEST(Parser, BodyIsAViewIntoTheInputAndTheNextMessageStays) {
  Parser parser(Parser::Kind::kRequest, Limits{});
  const std::string bytes = post("Content-Length: 5\r\n", "hello") + get("");
  std::string_view input = bytes;
  ASSERT_EQ(parser.next(input), Parser::Step::kHead);
  ASSERT_EQ(parser.next(input), Parser::Step::kBody);
  EXPECT_EQ(parser.body().data(), bytes.data() + bytes.find("hello"));
  ASSERT_EQ(parser.next(input), Parser::Step::kComplete);
  EXPECT_TRUE(parser.idle());
  EXPECT_EQ(parser.head().method(), "POST");  // until the next message begins
  EXPECT_EQ(input, get(""));
}

TEST(Parser, HeadCanBeTakenAndItsViewsStay) {
  Parser parser(Parser::Kind::kRequest, Limits{});
  const std::string bytes = post("Content-Length: 5\r\n", "hello") + get("");
  std::string_view input = bytes;
  ASSERT_EQ(parser.next(input), Parser::Step::kHead);
  const std::string_view target = parser.head().target();
  const Head taken = parser.take_head();
  ASSERT_EQ(parser.next(input), Parser::Step::kBody);  // framing is known without the head
  ASSERT_EQ(parser.next(input), Parser::Step::kComplete);
  ASSERT_EQ(parser.next(input), Parser::Step::kHead);
  EXPECT_EQ(parser.head().target(), "/");
  EXPECT_EQ(taken.target(), "/p");
  EXPECT_EQ(target, "/p");
}

TEST(Parser, LimitOfTheBodyCanBeSetPerMessage) {
  const std::string bytes = post("Content-Length: 5\r\n", "hello");
  Parser parser(Parser::Kind::kRequest, Limits{});
  for (const auto& [bytes_max, expected] :
       {std::pair{std::uint64_t{4}, Parser::Step::kRefused}, {5, Parser::Step::kBody}}) {
    parser = Parser(Parser::Kind::kRequest, Limits{});
    std::string_view input = bytes;
    ASSERT_EQ(parser.next(input), Parser::Step::kHead);
    parser.set_body_bytes_max(bytes_max);
    EXPECT_EQ(parser.next(input), expected);
  }
}

TEST(Parser, AnswerToHeadHasNoBody) {
  Parser parser(Parser::Kind::kResponse, Limits{});
  parser.expect_no_body();
  const std::string bytes = "HTTP/1.1 103 Early Hints\r\n\r\n" +
                            answer("Content-Length: 9\r\n", "") +
                            answer("Content-Length: 2\r\n", "ok");
  EXPECT_EQ(transcribe(parser, bytes, [](std::size_t rest) { return rest; }).bodies, "()()(ok)");
}

TEST(Parser, IdleOnlyBetweenMessages) {
  Parser parser(Parser::Kind::kRequest, Limits{});
  EXPECT_TRUE(parser.idle());
  EXPECT_EQ(parser.finish(), Parser::Step::kComplete);
  std::string_view empty_line = "\r\n", letter = "G";
  EXPECT_EQ(parser.next(empty_line), Parser::Step::kNeedMore);
  EXPECT_TRUE(parser.idle());
  EXPECT_EQ(parser.next(letter), Parser::Step::kNeedMore);
  EXPECT_TRUE(parser.started());
  EXPECT_EQ(parser.finish(), Parser::Step::kRefused);
  EXPECT_EQ(parser.next(letter), Parser::Step::kRefused);
}

TEST(Refusal, HasAStatusAndASentence) {
  for (int i = 0; i <= static_cast<int>(Refusal::kMethodNotAllowed); ++i) {
    const auto refusal = static_cast<Refusal>(i);
    EXPECT_GE(status_of(refusal), 400);
    EXPECT_TRUE(sentence_of(refusal).ends_with('.'));
  }
  EXPECT_EQ(status_of(Refusal::kBodyTooLarge), 413);
  EXPECT_EQ(status_of(Refusal::kLineTooLong), 414);
  EXPECT_EQ(status_of(Refusal::kHeadTooLarge), 431);
  EXPECT_EQ(status_of(Refusal::kUnsupportedVersion), 505);
}

}  // namespace
}  // namespace slipstream::http
