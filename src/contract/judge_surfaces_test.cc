// Answers of every surface but chat, framed as their servers frame them, and how they end.
#include <string>
#include <vector>

#include "contract/judge.h"
#include "gtest/gtest.h"
#include "sse/splitter.h"

namespace slipstream::contract {
namespace {

using Kinds = std::vector<EventKind>;
using enum EventKind;

JudgeMemory& memory() {
  static JudgeMemory shared;
  return shared;
}

struct Told {
  Kinds kinds;
  StreamJudge judge;
};

Told judge(Surface surface, std::string_view stream) {
  const bool lines = row_of(surface).streams == StreamForm::kLines;
  sse::Splitter splitter(1 << 20, lines ? sse::Splitter::Unit::kLine : sse::Splitter::Unit::kEvent);
  Told told{{}, StreamJudge(memory(), surface)};
  sse::Event event;
  while (splitter.next(stream, event) == sse::Splitter::Step::kEvent) {
    told.kinds.push_back(told.judge.observe(event.raw));
  }
  if (!splitter.rest().empty()) told.kinds.push_back(told.judge.observe(splitter.rest()));
  return told;
}

std::string named(std::string_view name, std::string_view members) {
  std::string out = "event: " + std::string(name) + "\ndata: {\"type\":\"" + std::string(name);
  return out + "\"" + std::string(members) + "}\n\n";
}
std::string data(std::string_view json) {
  return "data: " + std::string(json) + "\n\n";
}

const std::string kMessage =
    named("message_start",
          R"(,"message":{"id":"msg_1","type":"message","role":"assistant","content":[],)"
          R"("stop_reason":null,"usage":{"input_tokens":25,"output_tokens":1}})") +
    named("content_block_start", R"(,"index":0,"content_block":{"type":"text","text":""})") +
    named("ping", "") +
    named("content_block_delta", R"(,"index":0,"delta":{"type":"text_delta","text":"Hi"})") +
    named("content_block_stop", R"(,"index":0)") +
    named(
        "message_delta",
        R"(,"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15})");
const std::string kMessageStop = named("message_stop", "");

TEST(MessagesJudge, EndsWithItsLastEvent) {
  const Told told = judge(Surface::kMessages, kMessage + kMessageStop);
  EXPECT_EQ(told.kinds,
            (Kinds{kPreamble, kPreamble, kComment, kSemantic, kPreamble, kPreamble, kDone}));
  EXPECT_EQ(told.judge.ending(), Ending::kWhole);
  EXPECT_EQ(told.judge.usage().prompt_tokens, 25u);
  EXPECT_EQ(told.judge.usage().completion_tokens, 15u);
  EXPECT_EQ(told.judge.semantic_events(), 1u);
  EXPECT_EQ(judge(Surface::kMessages, kMessage).judge.ending(), Ending::kCut);
  EXPECT_EQ(judge(Surface::kMessages, kMessage + data("[DONE]")).judge.ending(), Ending::kCut);
  EXPECT_EQ(judge(Surface::kMessages, kMessage + "event: message_stop\ndata: {").judge.ending(),
            Ending::kCut);
}

TEST(MessagesJudge, HearsErrors) {
  const Told told =
      judge(Surface::kMessages, kMessage +
                                    named("error", R"(,"error":{"type":"overloaded_error",)"
                                                   R"("message":"Overloaded"})") +
                                    kMessageStop);
  EXPECT_EQ(told.kinds.at(6), kError);
  EXPECT_EQ(told.judge.error_status(), 529);
  EXPECT_EQ(told.judge.ending(), Ending::kCut);
  // llama.cpp puts the bare object there.
  const Told bare =
      judge(Surface::kMessages, "event: error\ndata: {\"code\":500,\"message\":\"m\"}\n\n");
  EXPECT_EQ(bare.kinds, Kinds{kError});
  EXPECT_EQ(bare.judge.error_status(), 500);
}

const std::string kResponse =
    named("response.created", R"(,"sequence_number":0,"response":{"id":"r","status":"in_progress",)"
                              R"("error":null,"output":[],"usage":null})") +
    named("response.output_item.added", R"(,"item":{"type":"message","status":"in_progress"})") +
    named("response.output_text.delta", R"(,"delta":"Hi")") +
    named("response.output_text.done", R"(,"text":"Hi")");

std::string last_response(std::string_view status, std::string_view error = "null") {
  const std::string name(status);
  return named("response." + name, R"(,"response":{"id":"r","status":")" + name + R"(","error":)" +
                                       std::string(error) +
                                       R"(,"usage":{"input_tokens":3,"output_tokens":4}})");
}

TEST(ResponsesJudge, EndsWithALastStatus) {
  const Told told = judge(Surface::kResponses, kResponse + last_response("completed"));
  EXPECT_EQ(told.kinds, (Kinds{kPreamble, kPreamble, kSemantic, kPreamble, kDone}));
  EXPECT_EQ(told.judge.ending(), Ending::kWhole);
  EXPECT_EQ(told.judge.usage().completion_tokens, 4u);
  EXPECT_EQ(judge(Surface::kResponses, kResponse + last_response("incomplete")).judge.ending(),
            Ending::kWhole);
  EXPECT_EQ(judge(Surface::kResponses, kResponse).judge.ending(), Ending::kCut);
  EXPECT_EQ(judge(Surface::kResponses, kResponse + data("[DONE]")).judge.ending(), Ending::kCut);
}

TEST(ResponsesJudge, HearsErrors) {
  const Told failed =
      judge(Surface::kResponses,
            kResponse + last_response("failed", R"({"code":"rate_limit_exceeded","message":"m"})"));
  EXPECT_EQ(failed.kinds.back(), kError);
  EXPECT_EQ(failed.judge.error_status(), 429);
  EXPECT_EQ(failed.judge.ending(), Ending::kCut);
  EXPECT_EQ(judge(Surface::kResponses, last_response("failed")).kinds, Kinds{kError});
  const Told error = judge(Surface::kResponses,
                           named("error", R"(,"code":"server_error","message":"m","param":null)"));
  EXPECT_EQ(error.kinds, Kinds{kError});
  EXPECT_EQ(error.judge.error_status(), 500);
  EXPECT_EQ(judge(Surface::kResponses, data(R"({"type":"error","message":"m"})")).kinds,
            Kinds{kError});
}

TEST(OllamaJudge, EndsWhenItSaysDone) {
  const std::string chat =
      R"({"model":"m","message":{"role":"assistant","content":""},"done":false})"
      "\n"
      R"({"model":"m","message":{"role":"assistant","content":"Hi"},"done":false})"
      "\r\n\n";
  const std::string last = R"({"message":{"role":"assistant","content":""},"done":true,)"
                           R"("done_reason":"stop","prompt_eval_count":26,"eval_count":290})";
  for (const std::string& end : {last + "\n", last}) {
    const Told told = judge(Surface::kOllamaChat, chat + end);
    EXPECT_EQ(told.kinds, (Kinds{kPreamble, kSemantic, kComment, kDone}));
    EXPECT_EQ(told.judge.ending(), Ending::kWhole);
    EXPECT_EQ(told.judge.usage().prompt_tokens, 26u);
    EXPECT_EQ(told.judge.usage().completion_tokens, 290u);
  }
  EXPECT_EQ(judge(Surface::kOllamaChat, chat).judge.ending(), Ending::kCut);
  EXPECT_EQ(judge(Surface::kOllamaChat, chat + last.substr(0, 70)).judge.ending(), Ending::kCut);
}

TEST(OllamaJudge, KnowsEveryKindOfToken) {
  for (const char* line : {R"({"message":{"content":"a"},"done":false})",
                           R"({"message":{"content":"","thinking":"a"}})",
                           R"({"message":{"tool_calls":[{"function":{"name":"f"}}]}})",
                           R"({"response":"a","done":false})", R"({"thinking":"a"})"}) {
    EXPECT_EQ(judge(Surface::kOllamaGenerate, line).kinds, Kinds{kSemantic}) << line;
  }
  for (const char* line : {R"({"message":{"role":"assistant"},"done":false})", "{}",
                           R"({"response":"","done":false})", R"({"message":null})"}) {
    EXPECT_EQ(judge(Surface::kOllamaGenerate, line).kinds, Kinds{kPreamble}) << line;
  }
}

TEST(OllamaJudge, HearsErrors) {
  const Told told = judge(Surface::kOllamaChat, "{\"error\":\"llama runner exited\"}\n");
  EXPECT_EQ(told.kinds, Kinds{kError});
  EXPECT_EQ(told.judge.error_status(), 502);
  EXPECT_EQ(judge(Surface::kOllamaChat, "data: {\"error\":\"x\"}\n").kinds, Kinds{kOther});
}

TEST(CompletionsJudge, CountsText) {
  const std::string token = data(R"({"choices":[{"index":0,"text":"a","finish_reason":null}]})");
  const std::string stop = data(R"({"choices":[{"index":0,"text":"","finish_reason":"stop"}]})");
  const Told told = judge(Surface::kCompletions, token + stop);
  EXPECT_EQ(told.kinds, (Kinds{kSemantic, kSemantic}));
  EXPECT_EQ(told.judge.semantic_events(), 1u);
  EXPECT_EQ(told.judge.ending(), Ending::kWhole);
  EXPECT_EQ(judge(Surface::kCompletions, token + data("[DONE]")).judge.ending(), Ending::kClaimed);
}

TEST(TranscriptionsJudge, EndsWithTheWholeText) {
  const std::string delta = data(R"({"type":"transcript.text.delta","delta":"a"})");
  const Told told =
      judge(Surface::kTranscriptions,
            delta + data(R"({"type":"transcript.text.done","text":"a","usage":{"input_tokens":1,)"
                         R"("output_tokens":2}})"));
  EXPECT_EQ(told.kinds, (Kinds{kSemantic, kDone}));
  EXPECT_EQ(told.judge.ending(), Ending::kWhole);
  EXPECT_EQ(told.judge.usage().completion_tokens, 2u);
  EXPECT_EQ(judge(Surface::kTranscriptions, delta).judge.ending(), Ending::kCut);
  EXPECT_EQ(judge(Surface::kTranscriptions, delta + data(R"({"error":{"code":503}})")).kinds,
            (Kinds{kSemantic, kError}));
  // vLLM streams transcriptions as it streams a chat.
  const Told vllm =
      judge(Surface::kTranscriptions,
            data(R"({"object":"transcription.chunk","choices":[{"delta":{"content":"a"}}]})") +
                data(R"({"choices":[{"delta":{"content":""},"finish_reason":"stop"}]})") +
                data("[DONE]"));
  EXPECT_EQ(vllm.kinds, (Kinds{kSemantic, kSemantic, kDone}));
  EXPECT_EQ(vllm.judge.ending(), Ending::kWhole);
}

struct Body {
  Surface surface;
  std::string_view text;
  bool finished;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t completion_tokens = 0;
};

TEST(BodyOfASurface, SaysItselfWhetherItIsFinished) {
  using enum Surface;
  const Body bodies[] = {
      {kCompletions, R"({"choices":[{"text":"a","finish_reason":"stop"}]})", true},
      {kCompletions, R"({"choices":[{"text":"a","finish_reason":null}]})", false},
      {kResponses,
       R"({"status":"completed","error":null,"output":[],"usage":{"input_tokens":1,"output_tokens":2}})",
       true, 1, 2},
      {kResponses, R"({"status":"incomplete","error":null})", true},
      {kResponses, R"({"status":"in_progress","error":null})", false},
      {kMessages,
       R"({"type":"message","content":[],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}})",
       true, 1, 2},
      {kMessages, R"({"type":"message","content":[],"stop_reason":null})", false},
      {kOllamaChat,
       R"({"message":{"content":"a"},"done":true,"prompt_eval_count":1,"eval_count":2})", true, 1,
       2},
      {kOllamaGenerate, R"({"response":"a","done":false})", false},
      {kEmbeddings, R"({"data":[],"usage":{"prompt_tokens":8,"total_tokens":8}})", true, 8},
      {kRerank, R"({"results":[],"usage":{"total_tokens":56}})", true, 56},
      {kTokenize, R"({"tokens":[1,2]})", true},
      {kCountTokens, R"({"input_tokens":9})", true, 9},
      {kOllamaEmbed, R"({"embeddings":[],"prompt_eval_count":8})", true, 8},
      {kEmbeddings, R"({"data":[)", false},
      {kTranscriptions, R"({"text":"a"})", true},
  };
  for (const Body& body : bodies) {
    const BodyJudgement told = judge_body(body.text, body.surface, memory());
    EXPECT_EQ(told.finished, body.finished) << body.text;
    EXPECT_EQ(told.usage.prompt_tokens, body.prompt_tokens) << body.text;
    EXPECT_EQ(told.usage.completion_tokens, body.completion_tokens) << body.text;
    EXPECT_FALSE(told.error) << body.text;
  }
}

TEST(BodyOfASurface, IsAnErrorInEveryDialect) {
  struct Error {
    std::string_view text;
    int status;
  };
  const Error errors[] = {
      {R"({"type":"error","error":{"type":"overloaded_error","message":"m"}})", 529},
      {R"({"type":"error","error":{"type":"invalid_request_error","message":"m"}})", 400},
      {R"({"error":"model not found"})", 502},
      {R"({"error":{"message":"m","code":500}})", 500},
      {R"({"status":"failed","error":{"code":"server_error","message":"m"}})", 500},
      {R"({"type":"err\u006fr","code":"rate_limit_exceeded"})", 429},
  };
  for (const Error& error : errors) {
    EXPECT_TRUE(may_be_error(error.text)) << error.text;
    for (const SurfaceRow& row : surfaces()) {
      const BodyJudgement told = judge_body(error.text, row.surface, memory());
      EXPECT_TRUE(told.error) << error.text;
      EXPECT_FALSE(told.finished) << error.text;
      EXPECT_EQ(told.error_status, error.status) << error.text;
    }
  }
}

}  // namespace
}  // namespace slipstream::contract
