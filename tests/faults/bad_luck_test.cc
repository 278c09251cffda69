// Upstreams that are absent, late or failing before the first token, and deadlines.
#include "faults/scene.h"

namespace slipstream::faults {
namespace {

const Gate::Options kManyRetries = {{"retry.budget_ratio", "100"}};
const Gate::Options kNoRetries = {{"retry.enabled", "false"}};

void answer_stream(Call& call, std::string_view text) {
  call.start_stream();
  call.stream(whole_stream(text));
  call.end_stream();
}

std::string error_event(std::string_view code) {
  return R"(data: {"error":{"message":"no","type":"server_error","code":")" + std::string(code) +
         "\"}}\n\n";
}

TEST(BadLuck, AnUnreachableUpstreamIs502WithAdviceForTheCallersLibrary) {
  Scene scene({{"retry.budget_floor", "0"}});
  scene.upstream.stop_listening();
  Caller a = scene.ask(chat());
  const Answer answer = a.finish();
  expect_error(answer, 502, "upstream_connect");
  EXPECT_EQ(answer.field("retry-after-ms"), "1000");
  EXPECT_EQ(answer.field("retry-after"), "1");
  EXPECT_EQ(answer.field("x-should-retry"), "false") << "the budget is empty";
  EXPECT_EQ(scene.gate.upstream_calls(), 2U) << "one reconnect is free";
  EXPECT_EQ(scene.gate.flights_ended("failed"), 1U);
}

TEST(BadLuck, CallersMayRetryWhileThereIsBudget) {
  Scene scene(kManyRetries);
  scene.upstream.stop_listening();
  Caller a = scene.ask(chat());
  const Answer answer = a.finish();
  expect_error(answer, 502, "upstream_connect");
  EXPECT_FALSE(answer.head.has("x-should-retry"));
}

TEST(BadLuck, AnUpstreamThatCutsBeforeItsHeadIsAskedOnceMore) {
  for (const bool second_works : {true, false}) {
    Scene scene(kManyRetries);
    Caller a = scene.ask(chat());
    Call& first = scene.upstream.wait_call();
    Caller b = scene.follow(chat());
    first.fin();
    Call& second = scene.upstream.wait_call();
    EXPECT_EQ(second.body(), first.body());
    second_works ? answer_stream(second, "x") : second.fin();
    for (Caller* caller : {&a, &b}) {
      const Answer answer = caller->finish();
      if (second_works) {
        expect_stream(answer, whole_stream("x"));
      } else {
        expect_error(answer, 502, "upstream_cut");
      }
    }
    scene.gate.wait_quiet();
    EXPECT_EQ(scene.gate.upstream_calls(), 2U);
    EXPECT_EQ(scene.gate.labelled("slipstream_retries_total", "cut"), 1U);
  }
}

TEST(BadLuck, AnUpstreamThatCutsAfterHeadAndRoleIsAskedOnceMore) {
  Scene scene(kManyRetries);
  Caller a = scene.ask(chat());
  Call& first = scene.upstream.wait_call();
  first.start_stream();
  first.stream(": hello\n\n" + role_event());
  first.flush();
  first.reset();
  answer_stream(scene.upstream.wait_call(), "x");
  const Answer answer = a.finish();
  expect_stream(answer, whole_stream("x"));  // nothing of the first attempt in it
  EXPECT_EQ(scene.gate.upstream_calls(), 2U);
}

TEST(BadLuck, AnInBandErrorBeforeTheFirstTokenIsRetriedOnce) {
  for (const bool second_works : {true, false}) {
    Scene scene(kManyRetries);
    Caller a = scene.ask(chat());
    Call& first = scene.upstream.wait_call();
    first.start_stream();
    first.stream(role_event() + error_event("first"));
    Call& second = scene.upstream.wait_call();
    if (second_works) {
      answer_stream(second, "x");
    } else {
      second.start_stream();
      second.stream(error_event("second"));
    }
    const Answer answer = a.finish();
    if (second_works) {
      expect_stream(answer, whole_stream("x"));
    } else {
      // A plain error answer: no stream was opened, and the upstream's own words are kept.
      expect_error(answer, 500, "second");  // what its type implies
      EXPECT_TRUE(answer.field("content-type").starts_with("application/json"));
    }
    scene.gate.wait_quiet();
    EXPECT_EQ(scene.gate.upstream_calls(), 2U);
  }
}

TEST(BadLuck, AnInBandErrorAfterTokensEndsTheStreamForAll) {
  Scene scene(kManyRetries);
  Caller a = scene.ask(chat());
  Call& call = scene.upstream.wait_call();
  Caller b = scene.follow(chat());
  call.start_stream();
  call.stream(role_event() + token("one") + error_event("exploded"));
  call.stream(std::string(kDone));
  call.end_stream();
  for (Caller* caller : {&a, &b})
    expect_broken(caller->finish(), role_event() + token("one"), "exploded");
  EXPECT_EQ(scene.gate.upstream_calls(), 1U);
  EXPECT_EQ(scene.gate.flights_ended("cut"), 1U);
}

TEST(BadLuck, AStatusThatTheSameRequestAlwaysGetsIsPassedOnAndNeverRetried) {
  Scene scene(kManyRetries);
  for (const int status : {400, 401, 403, 404, 413, 422}) {
    SCOPED_TRACE(status);
    const std::uint64_t calls = scene.gate.upstream_calls();
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    Caller b = scene.follow(chat());
    const std::string body = R"({"error":{"message":"no","code":"own_words"}})";
    call.answer(status, body, kJson);
    for (Caller* caller : {&a, &b}) {
      const Answer answer = caller->finish();
      expect_error(answer, status, "own_words");
      EXPECT_EQ(answer.body, body);
      EXPECT_FALSE(answer.head.has("retry-after-ms"));
    }
    EXPECT_EQ(scene.gate.upstream_calls(), calls + 1);
  }
  EXPECT_EQ(scene.gate.flights_ended("rejected"), 6U);
}

TEST(BadLuck, FollowersAreToldDifferentDelays) {
  Scene scene(kNoRetries);
  std::vector<Caller> callers;
  callers.push_back(scene.ask(chat()));
  Call& call = scene.upstream.wait_call();
  for (int i = 0; i < 20; ++i) callers.push_back(scene.follow(chat()));
  call.answer(503, R"({"error":{"message":"no","code":"busy"}})",
              "content-type: application/json\r\nretry-after: 4\r\n");
  std::vector<std::string> delays;
  for (Caller& caller : callers) {
    const Answer answer = caller.finish();
    expect_error(answer, 503, "busy");
    delays.emplace_back(answer.field("retry-after-ms"));
    EXPECT_GE(std::stoi("0" + delays.back()), 4000);
    EXPECT_LE(std::stoi("0" + delays.back()), 6000);
  }
  EXPECT_EQ(delays.front(), "4000") << "the leader's is as the upstream said";
  std::sort(delays.begin(), delays.end());
  EXPECT_GT(std::unique(delays.begin(), delays.end()) - delays.begin(), 10);
}

constexpr std::string_view kWaiting = ": waiting for the upstream\n\n";

std::string without_comments(std::string body) {
  for (std::size_t at; (at = body.find(kWaiting)) != std::string::npos;)
    body.erase(at, kWaiting.size());
  return body;
}

TEST(BadLuck, AStreamOpenedByCommentsGoesOnAsTheUpstreamsOwn) {
  Scene scene({{"stream.keep_alive_comment", "20ms"}});
  Caller a = scene.ask(chat());
  Call& call = scene.upstream.wait_call();
  const Answer& early = a.wait_body(kWaiting);
  EXPECT_EQ(early.status(), 200);
  EXPECT_EQ(early.field("content-type"), "text/event-stream");
  answer_stream(call, "x");
  Answer answer = a.finish();
  answer.body = without_comments(answer.body);
  expect_stream(answer, whole_stream("x"));
}

// The status is out already: the failure has to be an error event, without the final chunk.
TEST(BadLuck, AStreamOpenedByCommentsTellsAFailureAsAnErrorEvent) {
  enum class Luck { kCut, kStatus, kInBand };
  for (const Luck luck : {Luck::kCut, Luck::kStatus, Luck::kInBand}) {
    SCOPED_TRACE(static_cast<int>(luck));
    Scene scene({{"stream.keep_alive_comment", "20ms"}, {"retry.enabled", "false"}});
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    a.wait_body(kWaiting);
    const char* code = "own_words";
    if (luck == Luck::kCut) {
      call.fin();
      code = "upstream_cut";
    } else if (luck == Luck::kStatus) {
      call.answer(429, "{\"error\":{\"message\":\"no\",\n\"code\":\"own_words\"}}", kJson);
    } else {
      call.start_stream();
      call.stream(error_event("own_words"));
    }
    Answer answer = a.finish();
    answer.body = without_comments(answer.body);
    expect_broken(answer, "", code);
    scene.gate.expect_callers_ended("upstream_failed", 1);
  }
}

TEST(BadLuck, CommentsOfTheGatewayDoNotForbidARetry) {
  Scene scene({{"stream.keep_alive_comment", "20ms"}, {"retry.budget_ratio", "100"}});
  Caller a = scene.ask(chat());
  Call& first = scene.upstream.wait_call();
  a.wait_body(kWaiting);
  first.fin();
  answer_stream(scene.upstream.wait_call(), "x");
  Answer answer = a.finish();
  answer.body = without_comments(answer.body);
  expect_stream(answer, whole_stream("x"));
}

TEST(BadLuck, ADeadlineBeforeTheAnswerIs504ForThatCallerAlone) {
  Scene scene;
  for (const Stream stream : {Stream::kYes, Stream::kNo}) {
    Caller a = scene.ask(chat("hi", stream));
    Call& call = scene.upstream.wait_call();
    Caller b = scene.follow(chat("hi", stream), "x-slipstream-deadline: 100ms\r\n");
    expect_error(b.finish(), 504, "deadline_exceeded");
    EXPECT_FALSE(call.aborted());
    EXPECT_FALSE(call.head().has("x-slipstream-deadline"));
    if (stream == Stream::kYes) {
      answer_stream(call, "x");
    } else {
      call.answer(200, whole_body("x"), kJson);
    }
    expect_stream(a.finish(), stream == Stream::kYes ? whole_stream("x") : whole_body("x"));
  }
  scene.gate.expect_callers_ended("deadline", 2);
}

TEST(BadLuck, ADeadlineInTheMiddleOfAStreamIsAnErrorEvent) {
  Scene scene;
  Caller a = scene.ask(chat(), "x-slipstream-deadline: 300ms\r\n");
  Call& call = scene.upstream.wait_call();
  call.start_stream();
  call.stream(role_event() + token("one"));
  expect_broken(a.finish(), role_event() + token("one"), "deadline_exceeded");
  EXPECT_TRUE(call.aborted(kSoon));
}

// A caller may only shorten what the operator set; what is no duration counts as not sent.
TEST(BadLuck, ADeadlineOfTheCallerOnlyShortens) {
  Scene scene({{"request.deadline", "200ms"}});
  for (const char* value : {"600s", "soon", "0s", "99999999999999999999999999s"}) {
    SCOPED_TRACE(value);
    Caller a = scene.ask(chat(value, Stream::kNo),
                         "x-slipstream-deadline: " + std::string(value) + "\r\n");
    Call& call = scene.upstream.wait_call();
    expect_error(a.finish(), 504, "deadline_exceeded");
    EXPECT_TRUE(call.aborted(kSoon));
  }
}

TEST(BadLuck, ASlowFirstTokenIs504AndTheCallIsCancelled) {
  Scene scene({{"upstream.first_event_timeout", "150ms"}, {"retry.enabled", "false"}});
  Caller a = scene.ask(chat());
  Call& call = scene.upstream.wait_call();
  Caller b = scene.follow(chat());
  for (Caller* caller : {&a, &b})
    expect_error(caller->finish(), 504, "upstream_first_event_timeout");
  EXPECT_TRUE(call.aborted(kSoon));
}

}  // namespace
}  // namespace slipstream::faults
