// Faults that reading found before any run did: large answers, what may not be repeated, half
// errors.
#include "faults/scene.h"

namespace slipstream::faults {
namespace {

const Gate::Options kManyRetries = {{"retry.budget_ratio", "100"}};
constexpr std::size_t kMiB = 1024 * 1024;

// An answer in one piece is larger than any lag: whoever reads it at an ordinary pace gets it.
TEST(Large, AnAnswerAboveTheLagBoundReachesEveryCaller) {
  Scene scene({{"replay.lag_bytes_max", "1MiB"}});
  const std::string body = whole_body(std::string(8 * kMiB, 'x'));
  const std::string request = chat("hi", Stream::kNo);
  Caller a = scene.ask(request);
  Call& call = scene.upstream.wait_call();
  Caller b = scene.follow(request);
  call.answer(200, body, kJson);
  for (Caller* caller : {&a, &b}) {
    const Answer answer = caller->finish();
    EXPECT_TRUE(answer.complete);
    EXPECT_TRUE(answer.body == body);
  }
  scene.gate.expect_callers_ended("delivered", 2);
}

TEST(Large, OneEventAboveTheLagBoundReachesItsCaller) {
  Scene scene({{"replay.lag_bytes_max", "1MiB"}});
  const std::string stream = whole_stream(std::string(6 * kMiB, 'x'));
  Caller a = scene.ask(chat());
  Call& call = scene.upstream.wait_call();
  call.start_stream();
  std::string_view rest = stream;
  for (; !rest.empty(); rest.remove_prefix(std::min(rest.size(), kMiB))) {
    call.stream(rest.substr(0, kMiB));
  }
  call.end_stream();
  const Answer answer = a.finish();
  EXPECT_TRUE(answer.complete);
  EXPECT_TRUE(answer.body == stream);
}

// Running a tool or storing an answer twice is not running it once.
TEST(Repeat, WhatHasASideEffectIsNotSentAgain) {
  for (const char* member : {R"(,"store":true)", R"(,"web_search_options":{})", R"(,"x_new":1)"}) {
    SCOPED_TRACE(member);
    Scene scene(kManyRetries);
    Caller a = scene.ask(chat("hi", Stream::kYes, member));
    scene.upstream.wait_call().fin();
    expect_error(a.finish(), 502, "upstream_cut");
    scene.gate.wait_quiet();
    EXPECT_EQ(scene.gate.upstream_calls(), 1U);
  }
}

TEST(Repeat, APlainGenerationIs) {
  Scene scene(kManyRetries);
  Caller a = scene.ask(chat("hi", Stream::kYes));
  scene.upstream.wait_call().fin();
  Call& again = scene.upstream.wait_call();
  again.start_stream();
  again.stream(whole_stream("one"));
  again.end_stream();
  expect_stream(a.finish(), whole_stream("one"));
}

// A comment without end, then a clean end of the body: nothing was said, and nothing falls over.
TEST(HalfSaid, AnEndlessCommentIsAFailureAndNoMore) {
  Scene scene({{"retry.enabled", "false"}});
  Caller a = scene.ask(chat());
  Call& call = scene.upstream.wait_call();
  call.start_stream();
  call.stream(":" + std::string(200 * 1024, 'x'));
  call.end_stream();
  expect_error(a.finish(), 502, "upstream_cut");
  Caller b = scene.ask(chat());
  Call& next = scene.upstream.wait_call();
  next.start_stream();
  next.stream(whole_stream("one"));
  next.end_stream();
  expect_stream(b.finish(), whole_stream("one"));
}

// Half of the upstream's error is not the upstream's error.
TEST(HalfSaid, ACutErrorBodyIsNotPassedOnAsWhole) {
  for (const int status : {400, 500}) {
    SCOPED_TRACE(status);
    Scene scene({{"retry.enabled", "false"}});
    Caller a = scene.ask(chat("hi", Stream::kNo));
    Call& call = scene.upstream.wait_call();
    call.send("HTTP/1.1 " + std::to_string(status) +
              " X\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{\"error\":");
    call.fin();
    expect_error(a.finish(), 502, "upstream_cut");
  }
}

TEST(HalfSaid, AnUploadThatWillBeRefusedDoesNotReachTheUpstream) {
  Scene scene;
  Caller a(scene.gate);
  a.send("POST /v1/files HTTP/1.1\r\nhost: g\r\ncontent-length: 1000000000000\r\n\r\nab");
  EXPECT_EQ(a.finish().status(), 413);
  EXPECT_EQ(scene.gate.upstream_calls(), 0U);
}

}  // namespace
}  // namespace slipstream::faults
