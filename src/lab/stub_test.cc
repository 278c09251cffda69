#include "lab/stub.h"

#include <gtest/gtest.h>

#include <string>

#include "lab/stub_test_support.h"

namespace slipstream::lab {
namespace {

std::string chat(const std::string& settings, const std::string& members = R"(,"stream":true)") {
  return post("/v1/chat/completions",
              R"({"model":"stub:)" + settings + R"(","messages":[])" + members + "}");
}

TEST_F(StubTest, StreamsChat) {
  const std::string got = ask(chat("tokens=3"), "0\r\n\r\n");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 200 OK\r\n"));
  for (const char* token :
       {R"("content":" c1t0")", R"("content":" c1t1")", R"("content":" c1t2")"}) {
    EXPECT_EQ(count(got, token), 1U) << token;
  }
  EXPECT_EQ(count(got, R"("finish_reason":"stop")"), 1U);
  EXPECT_EQ(count(got, "data: [DONE]\n\n"), 1U);
  EXPECT_EQ(count(got, "usage"), 0U);
  EXPECT_EQ(stub_.stats().tokens, 3U);
  EXPECT_EQ(stub_.stats().live, 0U);
}

TEST_F(StubTest, StreamsUsageAndEveryChoice) {
  const std::string got =
      ask(chat("tokens=2", R"(,"stream":true,"n":3,"stream_options":{"include_usage":true})"),
          "0\r\n\r\n");
  EXPECT_EQ(count(got, " c1t0"), 3U);
  EXPECT_EQ(count(got, R"("finish_reason":"stop")"), 3U);
  EXPECT_EQ(count(got, R"("completion_tokens":6)"), 1U);
  EXPECT_EQ(count(got, R"("choices":[],"usage")"), 1U);
}

TEST_F(StubTest, AnswersWhole) {
  const std::string got = ask(chat("tokens=3", R"(,"max_tokens":2)"), "}}");
  EXPECT_EQ(count(got, R"("content":" c1t0 c1t1"},"finish_reason":"length")"), 1U);
  EXPECT_EQ(count(got, R"("completion_tokens":2)"), 1U);
}

TEST_F(StubTest, AnswersCompletionsWithOneChoicePerPrompt) {
  const std::string body = R"({"model":"m","prompt":["a","b"],"stream":true})";
  const std::string got = ask(post("/v1/completions", body), "0\r\n\r\n");
  EXPECT_EQ(count(got, R"("text":" c1t2")"), 2U);
  EXPECT_EQ(count(got, R"("object":"text_completion")"), 8U);
  const std::string whole = ask(post("/v1/completions", R"({"prompt":"a"})"), "}}");
  EXPECT_EQ(count(whole, R"("text":" c2t0 c2t1 c2t2")"), 1U);
}

TEST_F(StubTest, EmbedsEqualInputsEqually) {
  const auto embed = [&](const char* members) {
    const std::string body = R"({"model":"m","dimensions":2,"input":)" + std::string(members) + "}";
    const std::string got = ask(post("/v1/embeddings", body), "}}");
    const std::size_t at = got.find(R"("data":)");
    return got.substr(at, got.find(R"("model")") - at);
  };
  const std::string one = embed(R"("a")");
  EXPECT_EQ(one, embed(R"("a")"));
  EXPECT_NE(one, embed(R"("b")"));
  EXPECT_EQ(count(embed(R"(["a","b","c"])"), "embedding\":["), 3U);
  EXPECT_EQ(count(embed(R"([1,2,3])"), "embedding\":["), 1U);
  EXPECT_EQ(count(embed(R"("a","encoding_format":"base64")"), "=="), 0U);
  EXPECT_EQ(count(embed(R"("a","encoding_format":"base64")"), "=\""), 1U);  // 8 bytes
}

TEST_F(StubTest, TellsModelsHealthAndStats) {
  EXPECT_EQ(count(ask(get("/v1/models"), "]}"), R"("id":"stub")"), 1U);
  EXPECT_EQ(count(ask(get("/health"), "ok"), "200 OK"), 1U);
  ask(chat("tokens=2"), "[DONE]");
  EXPECT_EQ(count(ask(get("/stub/stats"), "}"), R"("calls":1,"calls_by_path":{"/v1/chat/compl)"),
            1U);
  ask(post("/stub/reset", ""), "{}");
  EXPECT_EQ(stub_.stats().calls, 0U);
  ask(chat("tokens=1"), " c2t0");  // numbers are never used twice
}

TEST_F(StubTest, RefusesWhatIsWrong) {
  EXPECT_EQ(count(ask(get("/nowhere"), "}}"), "404 Not Found"), 1U);
  EXPECT_EQ(count(ask(post("/v1/chat/completions", "{"), "}}"), "400 Bad Request"), 1U);
  EXPECT_EQ(count(ask(chat("tokens=no"), "}}"), "invalid_request_error"), 1U);
  EXPECT_EQ(count(ask(post("/v1/embeddings", "{}"), "}}"), "'input' is missing"), 1U);
  EXPECT_EQ(count(ask_to_end("GET / HTTP/1.1\r\nbad\r\n\r\n", End::kFin), "400 Bad"), 1U);
}

TEST_F(StubTest, KeepsConnectionsAndTakesPipelinedRequestsInOrder) {
  const std::string got = ask(chat("tokens=1,first=5ms") + chat("tokens=1") + get("/health"), "ok");
  EXPECT_LT(got.find(" c1t0"), got.find(" c2t0"));
  EXPECT_LT(got.find(" c2t0"), got.find(R"("ok")"));
  EXPECT_EQ(stub_.stats().live_max, 1U);
}

TEST_F(StubTest, HonoursConnectionClose) {
  const std::string body = R"({"stream":true})";
  const std::string close = post("/v1/chat/completions", body, "connection: close\r\n");
  EXPECT_TRUE(ask_to_end(close, End::kFin).ends_with("0\r\n\r\n"));
  const std::string old =
      "POST /v1/chat/completions HTTP/1.0\r\nhost: x\r\ncontent-length: 15\r\n\r\n";
  EXPECT_TRUE(ask_to_end(old + body, End::kFin).ends_with("\n\ndata: [DONE]\n\n"));
}

TEST_F(StubTest, AnswersErrorsForTheFirstCallsOfAModel) {
  const std::string request = chat("error=503,error_calls=1,retry_after=2");
  const std::string error = ask(request, "}}");
  EXPECT_EQ(count(error, "503 Service Unavailable"), 1U);
  EXPECT_EQ(count(error, "retry-after: 2"), 1U);
  EXPECT_EQ(count(error, R"("type":"server_error")"), 1U);
  EXPECT_EQ(count(ask(request, "[DONE]"), "200 OK"), 1U);
}

TEST_F(StubTest, CutsInEveryWay) {
  const std::string fin = ask_to_end(chat("cut=2"), End::kFin);
  EXPECT_EQ(count(fin, "t1\""), 1U);
  EXPECT_EQ(count(fin, "t2\"") + count(fin, "0\r\n\r\n"), 0U);
  EXPECT_EQ(count(ask_to_end(chat("cut=2,cut_as=reset"), End::kReset), "t1\""), 1U);
  const std::string end = ask(chat("cut=2,cut_as=end"), "0\r\n\r\n");
  EXPECT_EQ(count(end, "DONE") + count(end, "\"stop\""), 0U);
  const std::string half = ask_to_end(chat("cut=2", ""), End::kFin);
  EXPECT_EQ(count(half, "200 OK"), 1U);
  EXPECT_FALSE(half.ends_with("}"));
}

TEST_F(StubTest, SendsErrorEventsAndComments) {
  const std::string got = ask(chat("error_event=1"), "0\r\n\r\n");
  EXPECT_LT(got.find("t0"), got.find(R"(data: {"error":)"));
  EXPECT_EQ(count(got, "t1\""), 0U);
  EXPECT_GE(count(ask(chat("first=10ms,comments=2ms"), "[DONE]"), ": keep-alive\n\n"), 4U);
}

TEST_F(StubTest, FallsSilentAndCountsTheCallerThatLeaves) {
  RawClient streamed = send(chat("silence_after=1"));
  RawClient headless = send(chat("silence_after=head"));
  reactor_.run_until([&] { return streamed.has("t0") && stub_.stats().live == 2; });
  EXPECT_FALSE(streamed.has("t1\""));
  EXPECT_EQ(headless.received(), "");
  streamed.close();
  headless.close();
  reactor_.run_until([&] { return stub_.stats().live == 0; });
  EXPECT_EQ(stub_.stats().aborts, 2U);
  EXPECT_EQ(stub_.stats().tokens, 1U);
}

TEST_F(StubTest, StopsGeneratingWhenTheCallerLeaves) {
  RawClient client = send(chat("tokens=100000,interval=1ms"));
  reactor_.run_until([&] { return client.has("t3\""); });
  client.close();
  reactor_.run_until([&] { return stub_.stats().aborts == 1; });
  EXPECT_LT(stub_.stats().tokens, 100'000U);
}

TEST_F(StubTest, WaitsForASlowReaderWithoutLosingAnything) {
  const std::string got = ask(chat("tokens=20000,bytes=500"), "0\r\n\r\n");
  EXPECT_EQ(count(got, "t19999x"), 1U);
}

TEST(StubState, DuplicatesJoinTheLoadOfAModel) {
  StubState state({.script = {.load = seconds(2)}});
  const Time start = Time{} + std::chrono::hours(1);
  StubRequest request;
  request.model = "cold";
  EXPECT_EQ(state.begin(request, start)->load_wait, seconds(2));
  EXPECT_EQ(state.begin(request, start + seconds(1))->load_wait, seconds(1));
  EXPECT_EQ(state.begin(request, start + seconds(3))->load_wait, Duration{});
  EXPECT_EQ(state.stats().live_max, 3U);
  state.reset();
  EXPECT_EQ(state.begin(request, start + seconds(4))->load_wait, seconds(2));
}

}  // namespace
}  // namespace slipstream::lab
