// Requests that are wrong, odd or unusual, beyond the twenty rows.
#include "faults/scene.h"

namespace slipstream::faults {
namespace {

const std::string kPost =
    "POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\n";

// A refused request leaves the connection usable and reaches neither table nor upstream.
TEST(BadInput, JsonThatIsMalformedOrAmbiguousIsRefusedAndTheConnectionLives) {
  Scene scene;
  Caller a(scene.gate);
  const char* bodies[] = {
      "",
      "{",
      R"({"model":"m","messages":[],)",
      R"({"model":"m"} trailing)",
      R"({"model":"m","model":"other"})",
      R"({"model":"m","\u006dodel":"other"})",
      R"({"messages":[{"role":"user","role":"system"}]})",
      R"({"temperature":NaN})",
      R"({"x":"\ud800"})",
      "{\"x\":\"\xff\"}",
  };
  for (const char* body : bodies) {
    SCOPED_TRACE(body);
    a.post(body);
    const Answer answer = a.finish();
    expect_error(answer, 400, "invalid_body");
    EXPECT_FALSE(answer.field("x-request-id").empty());
    EXPECT_EQ(answer.end, Answer::End::kOpen);
  }
  a.post(std::string(100, '[') + std::string(100, ']'));
  expect_error(a.finish(), 400, "invalid_body");
  EXPECT_EQ(scene.gate.upstream_calls(), 0U);
  EXPECT_EQ(scene.gate.leaders(), 0U);
  EXPECT_EQ(scene.gate.labelled("slipstream_refused_requests_total", "bad_body"),
            std::size(bodies) + 1);

  a.post(chat("hi", Stream::kNo));
  scene.upstream.wait_call().answer(200, whole_body("x"), kJson);
  expect_stream(a.finish(), whole_body("x"));
}

// An ambiguous or oversize head ends the connection: nothing after it can be trusted.
TEST(BadInput, HeadsThatCannotBeTrustedAreRefusedAndTheConnectionEnds) {
  struct Case {
    const char* name;
    std::string bytes;
    int status;
  };
  const Case cases[] = {
      {"head too large", kPost + "x-filler: " + std::string(40000, 'x') + "\r\n\r\n", 431},
      {"target too long", "GET /" + std::string(9000, 'x') + " HTTP/1.1\r\nhost: g\r\n\r\n", 414},
      {"TRACE", "TRACE / HTTP/1.1\r\nhost: g\r\n\r\n", 405},
      {"CONNECT", "CONNECT g:443 HTTP/1.1\r\nhost: g:443\r\n\r\n", 405},
      {"length and chunked", kPost + "content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n",
       400},
      {"two lengths", kPost + "content-length: 3\r\ncontent-length: 4\r\n\r\n", 400},
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"bare LF", "GET / HTTP/1.1\nhost: g\n\n", 400},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"not HTTP", "\x16\x03\x01\x02\x01hello there\r\n\r\n", 400},
      {"bad chunk", kPost + "transfer-encoding: chunked\r\n\r\nzz\r\n", 400},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    Scene scene;
    Caller a(scene.gate);
    a.send(one.bytes);
    const Answer answer = a.finish();
    expect_error(answer, one.status, "bad_request");
    EXPECT_EQ(answer.field("connection"), "close");
    EXPECT_EQ(a.wait_end(), Answer::End::kFin);
    EXPECT_EQ(scene.gate.upstream_calls(), 0U);
    EXPECT_EQ(scene.gate.labelled("slipstream_refused_requests_total", "bad_http"), 1U);
  }
}

TEST(BadInput, AnHttp10CallerGetsItsStreamEndedByClose) {
  Scene scene;
  Caller a(scene.gate);
  const std::string body = chat();
  a.send("POST /v1/chat/completions HTTP/1.0\r\nhost: g\r\ncontent-length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body);
  Call& call = scene.upstream.wait_call();
  call.start_stream();
  call.stream(whole_stream("x"));
  call.end_stream();
  const Answer answer = a.finish();
  expect_stream(answer, whole_stream("x"));
  EXPECT_FALSE(answer.head.has("transfer-encoding"));
  EXPECT_EQ(answer.field("connection"), "close");
  EXPECT_EQ(answer.role(), "solo");
  EXPECT_EQ(answer.end, Answer::End::kFin);
}

// Where only the close ends a body, a broken one has to end by a reset.
TEST(BadInput, AnHttp10CallerSeesABrokenStreamAsAReset) {
  Scene scene;
  Caller a(scene.gate);
  const std::string body = chat();
  a.send("POST /v1/chat/completions HTTP/1.0\r\nhost: g\r\ncontent-length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body);
  Call& call = scene.upstream.wait_call();
  call.start_stream();
  call.stream(role_event() + token("one"));
  a.wait_body(token("one"));
  call.fin();
  const Answer answer = a.finish();
  EXPECT_EQ(answer.end, Answer::End::kReset);
  EXPECT_FALSE(answer.complete);
  EXPECT_FALSE(answer.has("[DONE]"));
}

TEST(BadInput, ExpectContinueIsAnsweredBeforeTheBodyCame) {
  Scene scene;
  Caller a(scene.gate);
  const std::string body = chat("hi", Stream::kNo);
  a.send(kPost + "expect: 100-continue\r\ncontent-length: " + std::to_string(body.size()) +
         "\r\n\r\n");
  EXPECT_EQ(a.wait_interim().interim, 1);
  a.send(body);
  Call& call = scene.upstream.wait_call();
  EXPECT_FALSE(call.head().has("expect"));
  EXPECT_EQ(call.body(), body);
  call.answer(200, whole_body("x"), kJson);
  expect_stream(a.finish(), whole_body("x"));
}

TEST(BadInput, ExpectContinueForAnOversizeBodyIsRefusedInstead) {
  Scene scene({{"limits.body_bytes", "1KiB"}});
  Caller a(scene.gate);
  a.send(kPost + "expect: 100-continue\r\ncontent-length: 1025\r\n\r\n");
  const Answer answer = a.finish();
  EXPECT_EQ(answer.status(), 413);
  EXPECT_EQ(answer.interim, 0);
}

TEST(BadInput, PipelinedRequestsAreAnsweredInOrder) {
  Scene scene;
  Caller a(scene.gate);
  for (const char* word : {"first", "second", "third"}) a.post(chat(word, Stream::kNo));
  for (const char* word : {"first", "second", "third"}) {
    Call& call = scene.upstream.wait_call();
    EXPECT_EQ(call.body(), chat(word, Stream::kNo));
    call.answer(200, whole_body(word), kJson);
  }
  for (const char* word : {"first", "second", "third"}) expect_stream(a.finish(), whole_body(word));
}

TEST(BadInput, ATooLongPipelineEndsTheConnection) {
  Scene scene({{"limits.pipelined_bytes", "1KiB"}});
  Caller a(scene.gate);
  a.post(chat());
  Call& call = scene.upstream.wait_call();
  a.send(std::string(2000, 'x'));
  EXPECT_EQ(a.wait_end(), Answer::End::kReset);
  EXPECT_TRUE(call.aborted(kSoon));
}

// It cannot be told from leaving, and a stop button has to stop the model.
TEST(BadInput, AHalfCloseCountsAsLeaving) {
  Scene scene;
  Caller a = scene.ask(chat("hi", Stream::kNo));
  Call& call = scene.upstream.wait_call();
  a.half_close();
  EXPECT_TRUE(call.aborted(kSoon));
  EXPECT_EQ(a.wait_end(), Answer::End::kReset)
      << "who still reads must not take it for a whole answer";
  scene.gate.expect_callers_ended("client_gone", 1);
}

TEST(BadInput, ACallerThatLeavesInTheMiddleOfItsRequestLeavesNothingBehind) {
  Scene scene;
  for (const char* part : {"POST /v1/ch", "POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\n"}) {
    Caller a(scene.gate);
    a.send(part);
    a.flush();
    a.close();
  }
  Caller b(scene.gate);
  b.send(kPost + "content-length: 500\r\n\r\n{\"model\":");
  b.flush();
  b.reset();
  wait_until([&] { return scene.gate.server().shared().connections.load() == 0; },
             "the sessions to end");
  EXPECT_EQ(scene.gate.upstream_calls(), 0U);
  EXPECT_EQ(scene.gate.leaders(), 0U);
}

}  // namespace
}  // namespace slipstream::faults
