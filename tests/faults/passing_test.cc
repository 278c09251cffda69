// What has no contract passes through, and what each caller's head says.
#include "faults/scene.h"

namespace slipstream::faults {
namespace {

const std::string kHost = " HTTP/1.1\r\nhost: g\r\n";

TEST(PassThrough, AGetIsRelayedAsItIs) {
  Scene scene;
  Caller a(scene.gate);
  a.send("GET /v1/models?limit=2" + kHost +
         "authorization: Bearer t1\r\nx-own: 1\r\nconnection: x-hop\r\nx-hop: 1\r\n"
         "accept-encoding: gzip\r\n\r\n");
  Call& call = scene.upstream.wait_call();
  EXPECT_EQ(call.head().method(), "GET");
  EXPECT_EQ(call.head().target(), "/v1/models?limit=2");
  EXPECT_EQ(call.field("authorization"), "Bearer t1");
  EXPECT_EQ(call.field("x-own"), "1");
  EXPECT_EQ(call.field("host"), "127.0.0.1:" + std::to_string(scene.upstream.port()));
  EXPECT_FALSE(call.head().has("x-hop"));
  EXPECT_FALSE(call.head().has("connection"));
  call.answer(200, R"({"data":[]})", kJson);
  const Answer answer = a.finish();
  expect_stream(answer, R"({"data":[]})");
  EXPECT_EQ(answer.role(), "solo");
  EXPECT_TRUE(answer.field("x-slipstream").ends_with("reason=surface"));
  EXPECT_EQ(scene.gate.leaders(), 0U);
}

TEST(PassThrough, HeadAnswersCarryTheirLengthAndNoBody) {
  Scene scene;
  Caller a(scene.gate);
  a.expect_no_body();
  a.send("HEAD /v1/models" + kHost + "\r\n");
  Call& call = scene.upstream.wait_call();
  EXPECT_EQ(call.head().method(), "HEAD");
  call.send("HTTP/1.1 200 OK\r\ncontent-length: 1234\r\n\r\n");
  call.done();
  const Answer answer = a.finish();
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.field("content-length"), "1234");
  EXPECT_EQ(answer.body, "");
  // Both connections go on.
  a.send("GET /v1/models" + kHost + "\r\n");
  Call& next = scene.upstream.wait_call();
  EXPECT_EQ(next.connection(), call.connection());
  next.answer(200, "x");
  expect_stream(a.finish(), "x");
}

TEST(PassThrough, AnswersWithoutBodyPass) {
  Scene scene;
  Caller a(scene.gate);
  for (const int status : {204, 304}) {
    SCOPED_TRACE(status);
    a.send("GET /v1/thing" + kHost + "if-none-match: \"1\"\r\n\r\n");
    Call& call = scene.upstream.wait_call();
    EXPECT_EQ(call.field("if-none-match"), "\"1\"");
    call.send("HTTP/1.1 " + std::to_string(status) + " X\r\netag: \"1\"\r\n\r\n");
    call.done();
    const Answer answer = a.finish();
    EXPECT_EQ(answer.status(), status);
    EXPECT_TRUE(answer.complete);
    EXPECT_EQ(answer.field("etag"), "\"1\"");
    EXPECT_FALSE(answer.head.has("transfer-encoding"));
    EXPECT_EQ(answer.end, Answer::End::kOpen);
  }
}

TEST(PassThrough, AnUploadStreamsThroughAsItComes) {
  for (const bool chunked : {false, true}) {
    Scene scene;
    Caller a(scene.gate);
    a.send("POST /v1/files" + kHost +
           (chunked ? "transfer-encoding: chunked\r\n\r\n" : "content-length: 8\r\n\r\n"));
    a.send(chunked ? "4\r\nabcd\r\n" : "abcd");
    Call& call = scene.upstream.wait_head();
    call.wait_body(4);  // before the caller has sent the rest
    EXPECT_EQ(call.body(), "abcd");
    a.send(chunked ? "4\r\nefgh\r\n0\r\n\r\n" : "efgh");
    call.wait_complete();
    EXPECT_EQ(call.body(), "abcdefgh");
    EXPECT_EQ(call.head().framing(), chunked ? http::Framing::kChunked : http::Framing::kLength);
    call.answer(201, "stored");
    const Answer answer = a.finish();
    EXPECT_EQ(answer.status(), 201);
    EXPECT_EQ(answer.body, "stored");
    EXPECT_EQ(answer.end, Answer::End::kOpen);
  }
}

// Sixteen times what may be held on the way, to an upstream that takes its time.
TEST(PassThrough, ALargeUploadArrivesWhole) {
  Scene scene;
  Caller a(scene.gate);
  const std::string piece(64 * 1024, 'u');
  constexpr int kPieces = 128;
  a.send("POST /v1/files" + kHost + "content-length: " + std::to_string(piece.size() * kPieces) +
         "\r\n\r\n");
  Call& call = scene.upstream.wait_head();
  for (int i = 0; i < kPieces; ++i) {
    a.send(piece);
    call.wait_body(piece.size() * static_cast<std::size_t>(i + 1));
  }
  call.wait_complete();
  call.answer(200, "ok");
  expect_stream(a.finish(), "ok");
}

// The upstream refuses before it has read the upload.
TEST(PassThrough, AnEarlyAnswerEndsAnUpload) {
  Scene scene;
  Caller a(scene.gate);
  a.send("POST /v1/files" + kHost + "content-length: 1000\r\n\r\nabcd");
  Call& call = scene.upstream.wait_head();
  call.answer(413, R"({"error":{"message":"no","code":"too_big"}})", kJson);
  expect_error(a.finish(), 413, "too_big");
  EXPECT_EQ(a.wait_end(), Answer::End::kFin);
  EXPECT_TRUE(call.aborted(kSoon)) << "half a request was sent: not pooled";
}

// A body whose framing breaks is passed on as broken, never as whole.
TEST(PassThrough, ABrokenBodyIsNotMadeWhole) {
  for (const Transfer transfer : {Transfer::kChunked, Transfer::kLength}) {
    Scene scene;
    Caller a(scene.gate);
    a.send("GET /v1/files/1/content" + kHost + "\r\n");
    Call& call = scene.upstream.wait_call();
    const bool chunked = transfer == Transfer::kChunked;
    call.send("HTTP/1.1 200 OK\r\n" +
              std::string(chunked ? "transfer-encoding: chunked\r\n\r\n"
                                  : "content-length: 100\r\n\r\n") +
              (chunked ? "4\r\nabcd\r\n" : "abcd"));
    a.wait_body("abcd");
    call.fin();
    const Answer answer = a.finish();
    EXPECT_EQ(answer.body, "abcd");
    EXPECT_FALSE(answer.complete);
    EXPECT_NE(answer.end, Answer::End::kOpen);
  }
}

constexpr std::string_view kLeaderFields =
    "set-cookie: session=1\r\nx-ratelimit-remaining-requests: 7\r\nopenai-processing-ms: 12\r\n"
    "x-request-id: up-1\r\nopenai-version: 2020\r\nx-slipstream: forged\r\n"
    "keep-alive: timeout=5\r\nconnection: x-hop\r\nx-hop: 1\r\n";

void expect_shared_head(const Answer& answer) {
  EXPECT_EQ(answer.field("openai-version"), "2020");
  EXPECT_EQ(answer.field("content-type"), "text/event-stream");
  EXPECT_TRUE(answer.field("x-request-id").starts_with("r"));
  EXPECT_EQ(answer.field("x-slipstream").find("forged"), std::string_view::npos);
  EXPECT_TRUE(answer.field("x-slipstream").ends_with("; reason=greedy"));
  EXPECT_FALSE(answer.head.has("keep-alive"));
  EXPECT_FALSE(answer.head.has("x-hop"));
}

TEST(Heads, WhatBelongsToTheLeadersCallReachesNoFollower) {
  Scene scene;
  Caller a = scene.ask(chat());
  Call& call = scene.upstream.wait_call();
  Caller b = scene.follow(chat());
  call.start_stream(Transfer::kChunked, kLeaderFields);
  call.stream(whole_stream("x"));
  call.end_stream();
  const Answer to_a = a.finish();
  const Answer to_b = b.finish();
  expect_shared_head(to_a);
  expect_shared_head(to_b);
  EXPECT_EQ(to_a.role(), "leader");
  EXPECT_EQ(to_a.field("cache-status"), "slipstream; fwd=miss");
  EXPECT_EQ(to_a.field("set-cookie"), "session=1");
  EXPECT_EQ(to_a.field("x-ratelimit-remaining-requests"), "7");
  EXPECT_EQ(to_a.field("x-upstream-request-id"), "up-1");
  EXPECT_EQ(to_b.role(), "follower");
  EXPECT_EQ(to_b.field("cache-status"), "slipstream; fwd=miss; collapsed");
  for (const char* name : {"set-cookie", "x-ratelimit-remaining-requests", "openai-processing-ms",
                           "x-upstream-request-id"})
    EXPECT_FALSE(to_b.head.has(name)) << name;
  EXPECT_NE(to_a.field("x-request-id"), to_b.field("x-request-id"));
  // One flight, named to both.
  const auto flight = [](const Answer& answer) {
    const std::string_view text = answer.field("x-slipstream");
    return text.substr(text.find("flight="));
  };
  EXPECT_EQ(flight(to_a), flight(to_b));
}

TEST(Heads, AloneSaysWhy) {
  Scene scene;
  struct Case {
    std::string body;
    std::string fields;
    std::string reason;
  };
  const Case cases[] = {
      {R"({"model":"m","messages":[]})", "", "sampled"},
      {chat("hi", Stream::kNo, R"(,"seed":1,"temperature_":1)"), "", "unknown_field"},
      {chat("hi", Stream::kNo), "x-slipstream-coalesce: off\r\n", "opted_out"},
      {chat("hi", Stream::kNo), "cache-control: no-store\r\n", "opted_out"},
      {chat("hi", Stream::kNo, R"(,"store":true)"), "", "side_effect"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.body + one.fields);
    Caller a = scene.ask(one.body, one.fields);
    scene.upstream.wait_call().answer(200, whole_body("x"),
                                      "content-type: application/json\r\nset-cookie: a=1\r\n");
    const Answer answer = a.finish();
    expect_stream(answer, whole_body("x"));
    EXPECT_EQ(answer.role(), "solo");
    EXPECT_TRUE(answer.field("x-slipstream").ends_with("; reason=" + one.reason));
    EXPECT_EQ(answer.field("cache-status"),
              "slipstream; fwd=bypass; detail=\"" + one.reason + "\"");
    EXPECT_EQ(answer.field("set-cookie"), "a=1") << "its own call's cookie";
  }
}

}  // namespace
}  // namespace slipstream::faults
