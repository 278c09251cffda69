// Every surface of the stub in its own shape: streams, whole answers, faults.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/canonical.h"
#include "lab/stub_test_support.h"

namespace slipstream::lab {
namespace {

constexpr std::string_view kLastChunk = "0\r\n\r\n";

// A generating surface: how it is asked and what its bytes look like.
struct Shape {
  std::string path;
  std::string members;
  std::string stream_type;
  std::string delta_before;  // what stands before a token's text
  std::string finish;        // once in every whole stream
  std::string error_event;
  std::string error_answer;  // the start of the body
  std::string keep_alive;    // empty: the framing has none
};

void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.path;
}

const std::vector<Shape> kShapes = {
    {"/v1/chat/completions", R"("messages":[])", "text/event-stream", R"("content":")",
     "data: [DONE]\n\n", R"(data: {"error":{"message")", R"({"error":{"message")",
     ": keep-alive\n\n"},
    {"/v1/completions", R"("prompt":"a")", "text/event-stream", R"("text":")", "data: [DONE]\n\n",
     R"(data: {"error":{"message")", R"({"error":{"message")", ": keep-alive\n\n"},
    {"/v1/responses", R"("input":"a")", "text/event-stream", R"("delta":")",
     "event: response.completed\n", "event: error\ndata: {\"type\":\"error\"",
     R"({"error":{"message")", ": keep-alive\n\n"},
    {"/v1/messages", R"("max_tokens":99,"messages":[])", "text/event-stream", R"("text":")",
     "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
     R"(data: {"type":"error","error":{"type":"api_error")",
     R"({"type":"error","error":{"type":"api_error")",
     "event: ping\ndata: {\"type\":\"ping\"}\n\n"},
    {"/api/chat", R"("messages":[])", "application/x-ndjson", R"("content":")",
     R"("done":true,"done_reason":"stop")", "{\"error\":\"", "{\"error\":\"", ""},
    {"/api/generate", R"("prompt":"a")", "application/x-ndjson", R"("response":")",
     R"("done":true,"done_reason":"stop")", "{\"error\":\"", "{\"error\":\"", ""},
};

std::string form(const std::string& path, const std::vector<std::vector<std::string>>& parts) {
  std::string body;
  for (const auto& part : parts) {
    body += "--b-1\r\nContent-Disposition: form-data; name=\"" + part[0] + "\"\r\n\r\n" + part[1] +
            "\r\n";
  }
  return post(path, body + "--b-1--\r\n", "content-type: multipart/form-data; boundary=b-1\r\n");
}

// The JSON texts of a body: lines, or the data of events.
std::size_t valid_objects(const std::string& received) {
  std::size_t valid = 0;
  json::Canonicalizer canonicalizer;
  for (std::size_t at = received.find("\r\n\r\n") + 4; at < received.size();) {
    std::string line = received.substr(at, received.find('\n', at) - at);
    at += line.size() + 1;
    if (line.starts_with("data: {")) line.erase(0, 6);
    if (!line.starts_with('{')) continue;
    std::string out;
    EXPECT_TRUE(canonicalizer.append(line, out)) << line;
    ++valid;
  }
  return valid;
}

class EverySurface : public StubTest, public testing::WithParamInterface<Shape> {
 protected:
  std::string request(const std::string& settings, const std::string& stream = "true") {
    return post(GetParam().path, R"({"model":"stub:)" + settings + R"(",)" + GetParam().members +
                                     R"(,"stream":)" + stream + "}");
  }
};
INSTANTIATE_TEST_SUITE_P(Generating, EverySurface, testing::ValuesIn(kShapes));

TEST_P(EverySurface, StreamsEachTokenOnceAndFinishes) {
  const std::string got = ask(request("tokens=3"), kLastChunk);
  EXPECT_TRUE(got.starts_with("HTTP/1.1 200 OK\r\ncontent-type: " + GetParam().stream_type));
  for (const char* token : {" c1t0\"", " c1t1\"", " c1t2\""}) {
    EXPECT_EQ(count(got, GetParam().delta_before + token), 1U) << got;
  }
  EXPECT_EQ(count(got, GetParam().finish), 1U) << got;
  EXPECT_GE(valid_objects(got), 4U);
  EXPECT_EQ(stub_.stats().tokens, 3U);
  EXPECT_EQ(count(stub_.stats().to_json(), '"' + GetParam().path + "\":1"), 1U);
}

TEST_P(EverySurface, AnswersWholeWithTheSameText) {
  RawClient client = send(request("tokens=3", "false") + get("/health"));
  reactor_.run_until([&] { return client.has(R"({"status":"ok"})"); });
  const std::string& got = client.received();
  EXPECT_EQ(count(got, "content-type: application/json\r\n"), 2U);
  EXPECT_EQ(count(got, "\" c1t0 c1t1 c1t2\""), 1U) << got;
  EXPECT_EQ(count(got, "$"), 0U);
  EXPECT_EQ(count(got, "event: "), 0U);
}

TEST_P(EverySurface, FailsInItsOwnShape) {
  for (const char* stream : {"true", "false"}) {
    const std::string got = ask(request("error=503,retry_after=1", stream), "}");
    EXPECT_EQ(count(got, "503 Service Unavailable\r\ncontent-type: application/json\r\n"), 1U);
    EXPECT_EQ(count(got, "retry-after: 1\r\n"), 1U);
    EXPECT_EQ(count(got, "\r\n\r\n" + GetParam().error_answer), 1U) << got;
  }
  const std::string event = ask(request("error_event=1"), kLastChunk);
  EXPECT_EQ(count(event, "t0\""), 1U);
  EXPECT_EQ(count(event, GetParam().error_event), 1U) << event;
  EXPECT_EQ(count(event, "t1\""), 0U);
  EXPECT_GE(valid_objects(event), 2U);
}

TEST_P(EverySurface, RefusesABodyInItsOwnShape) {
  const std::string got = ask(post(GetParam().path, "{"), "}");
  EXPECT_EQ(count(got, "400 Bad Request"), 1U);
  EXPECT_TRUE(got.find("the body is not JSON") != std::string::npos);
  const std::string start = GetParam().error_answer;
  EXPECT_EQ(count(got, start.substr(0, start.find("api_error"))), 1U) << got;
}

TEST_P(EverySurface, IsCutAndFallsSilent) {
  const std::string fin = ask_to_end(request("cut=2"), End::kFin);
  EXPECT_EQ(count(fin, "t1\""), 1U);
  EXPECT_EQ(count(fin, "t2\"") + count(fin, GetParam().finish) + count(fin, kLastChunk), 0U);
  const std::string end = ask(request("cut=2,cut_as=end"), kLastChunk);
  EXPECT_EQ(count(end, GetParam().finish), 0U);
  RawClient silent = send(request("silence_after=1"));
  reactor_.run_until([&] { return silent.has("t0\""); });
  EXPECT_FALSE(silent.has("t1\""));
  silent.close();
  reactor_.run_until([&] { return stub_.stats().aborts == 1; });
}

TEST_P(EverySurface, KeepsAliveOnlyAsItsFramingAllows) {
  const std::string got = ask(request("tokens=1,first=10ms,comments=2ms"), kLastChunk);
  if (!GetParam().keep_alive.empty()) {
    EXPECT_GE(count(got, GetParam().keep_alive), 4U);
  } else {
    EXPECT_EQ(count(got, ": keep") + count(got, "\n:") + count(got, "ping"), 0U);
  }
  EXPECT_EQ(count(got, GetParam().finish), 1U);
}

using Surfaces = StubTest;

TEST_F(Surfaces, ResponsesNumberTheirEventsInOrder) {
  const std::string got = ask(
      post("/v1/responses", R"({"model":"stub:tokens=2","input":"a","stream":true})"), kLastChunk);
  const std::vector<std::string> events = {
      "response.created",           "response.in_progress",
      "response.output_item.added", "response.content_part.added",
      "response.output_text.delta", "response.output_text.delta",
      "response.output_text.done",  "response.content_part.done",
      "response.output_item.done",  "response.completed"};
  std::size_t at = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::string wanted = "event: " + events[i] + "\ndata: {\"type\":\"" + events[i] +
                               R"(","sequence_number":)" + std::to_string(i) + ",";
    at = got.find(wanted, at);
    ASSERT_NE(at, std::string::npos) << wanted;
  }
  EXPECT_EQ(count(got, "[DONE]"), 0U);
  EXPECT_EQ(count(got.substr(at), R"("text":" c1t0 c1t1")"), 1U);  // the whole object at the end
  EXPECT_EQ(count(got.substr(at), R"("output_tokens":2)"), 1U);
}

TEST_F(Surfaces, ResponsesCutShortAreIncomplete) {
  const std::string body = R"({"input":"a","max_output_tokens":2)";
  const std::string whole = ask(post("/v1/responses", body + "}"), "\"usage\"");
  EXPECT_EQ(count(whole, R"("incomplete_details":{"reason":"max_output_tokens"})"), 1U) << whole;
  const std::string got = ask(post("/v1/responses", body + R"(,"stream":true})"), kLastChunk);
  EXPECT_EQ(count(got, "event: response.incomplete\n"), 1U);
}

TEST_F(Surfaces, MessagesCarryTheirUsageAndStopReason) {
  const std::string body = R"({"max_tokens":2,"messages":[],"stream":true})";
  const std::string got = ask(post("/v1/messages", body), kLastChunk);
  std::size_t at = 0;
  for (const char* event :
       {R"(data: {"type":"message_start","message":{"id":"msg_1")",
        R"(data: {"type":"content_block_start","index":0,)", R"(data: {"type":"ping"})",
        R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta")",
        R"(data: {"type":"content_block_stop","index":0})",
        R"(data: {"type":"message_delta","delta":{"stop_reason":"max_tokens")",
        R"(data: {"type":"message_stop"})"}) {
    at = got.find(event, at);
    ASSERT_NE(at, std::string::npos) << event;
  }
  EXPECT_EQ(count(got, R"("usage":{"input_tokens":)"), 1U);
  EXPECT_EQ(count(got, R"("usage":{"output_tokens":2})"), 1U);
  const std::string missing = ask(post("/v1/messages", "{}"), "}");
  EXPECT_EQ(count(missing, R"("invalid_request_error","message":"'max_tokens' is missing")"), 1U);
}

TEST_F(Surfaces, OllamaStreamsUnlessToldNotTo) {
  const std::string got = ask(post("/api/chat", R"({"model":"llama3:8b","messages":[],)"
                                                R"("options":{"num_predict":2}})"),
                              kLastChunk);
  EXPECT_EQ(count(got, R"("done":false})"), 2U);
  EXPECT_EQ(count(got, R"("done":true,"done_reason":"length","total_duration":)"), 1U);
  EXPECT_EQ(count(got, R"("eval_count":2)"), 1U);
  EXPECT_EQ(valid_objects(got), 3U);
  for (const char* options : {"{}", R"({"num_predict":-1})", R"({"temperature":0})"}) {
    const std::string body = R"({"prompt":"a","stream":false,"options":)" + std::string(options);
    EXPECT_EQ(count(ask(post("/api/generate", body + "}"), "}"), R"("eval_count":3)"), 1U);
  }
  EXPECT_EQ(count(ask(post("/api/chat", R"({"options":{"num_predict":"2"}})"), "}"), "400 "), 1U);
}

TEST_F(Surfaces, RanksTokenizesAndCounts) {
  const std::string rank = R"({"query":"q","documents":["a",{"text":"b"},"c"])";
  const std::string all = ask(post("/v1/rerank", rank + "}"), "]}");
  EXPECT_EQ(count(all, R"("relevance_score":0.)"), 3U);
  EXPECT_EQ(count(all, R"("document":{"text":"b"})"), 1U);
  EXPECT_EQ(count(ask(post("/v1/rerank", rank + R"(,"top_n":1})"), "]}"), "relevance_score"), 1U);
  EXPECT_EQ(count(ask(post("/v1/rerank", R"({"query":"q"})"), "}}"), "'documents' is missing"), 1U);

  const std::string tokens = ask(post("/tokenize", R"({"prompt":"abcdefgh"})"), "null}");
  EXPECT_EQ(count(tokens, R"({"count":5,"max_model_len":8192,"tokens":[)"), 1U) << tokens;
  const std::string spaced = ask(post("/tokenize", R"({ "prompt" : "abcdefgh" })"), "null}");
  EXPECT_EQ(tokens.substr(tokens.find("tokens")), spaced.substr(spaced.find("tokens")));
  EXPECT_EQ(count(ask(post("/v1/messages/count_tokens", R"({"messages":[]})"), "}"),
                  R"({"input_tokens":3})"),
            1U);
  const std::string embed = ask(post("/api/embed", R"({"input":["a","b"]})"), "}");
  EXPECT_EQ(count(embed, R"("embeddings":[[)"), 1U);
  EXPECT_EQ(count(embed, "],["), 1U);
}

TEST_F(Surfaces, TranscribesForms) {
  const std::string path = "/v1/audio/transcriptions";
  const auto call = [&](std::vector<std::vector<std::string>> more, std::string_view last) {
    more.insert(more.begin(), {{"file", "RIFF\r\n--b\r\n\r\n"}, {"model", "stub:tokens=2"}});
    return ask(form(path, more), last);
  };
  EXPECT_EQ(count(call({}, "}}"), R"({"text":" c1t0 c1t1","usage":{"type":"tokens")"), 1U);
  const std::string plain = call({{"response_format", "text"}}, "t1\n");
  EXPECT_EQ(count(plain, "content-type: text/plain; charset=utf-8\r\n"), 1U);
  EXPECT_TRUE(plain.ends_with("\r\n\r\n c2t0 c2t1\n"));
  const std::string streamed = call({{"stream", "true"}}, kLastChunk);
  EXPECT_EQ(count(streamed, R"(data: {"type":"transcript.text.delta","delta":" c3t)"), 2U);
  EXPECT_EQ(count(streamed, R"(data: {"type":"transcript.text.done","text":" c3t0 c3t1")"), 1U);
  EXPECT_EQ(count(ask(form(path, {{"model", "m"}}), "}}"), "'file' is missing"), 1U);
  EXPECT_EQ(count(ask(post(path, "{}"), "}}"), "no multipart form"), 1U);
  EXPECT_EQ(count(call({{"response_format", "srt"}}, "}}"), "out of form"), 1U);
  EXPECT_EQ(stub_.stats().calls, 3U);
}

}  // namespace
}  // namespace slipstream::lab
