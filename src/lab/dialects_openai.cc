// The surfaces in OpenAI's style: chat, completions, embeddings, Responses, transcriptions, and
// what vLLM and others add in the same style: rerank and tokenize.
#include "lab/computed.h"
#include "lab/dialect.h"

namespace slipstream::lab {

namespace {

constexpr Event kDone[] = {{"", "[DONE]"}};
constexpr Event kError[] = {
    {"", R"({"error":{"message":$e,"type":"server_error","param":null,"code":500}})"}};
constexpr Finish kStop = {"stop", ""};
constexpr Finish kLength = {"length", ""};
constexpr std::string_view kUsage =
    R"({"prompt_tokens":$p,"completion_tokens":$n,"total_tokens":$N})";

constexpr Event kChatFirst[] = {
    {"", R"({$S,"choices":[{"index":$i,"delta":{"role":"assistant","content":"$t"},)"
         R"("finish_reason":null}]})"}};
constexpr Event kChatToken[] = {
    {"", R"({$S,"choices":[{"index":$i,"delta":{"content":"$t"},"finish_reason":null}]})"}};
constexpr Event kChatFinish[] = {
    {"", R"({$S,"choices":[{"index":$i,"delta":{},"finish_reason":"$f"}]})"}};
constexpr Event kUsageChunk[] = {{"", R"({$S,"choices":[],"usage":$U})"}};

constexpr Event kTextToken[] = {
    {"", R"({$S,"choices":[{"index":$i,"text":"$t","finish_reason":null}]})"}};
constexpr Event kTextFinish[] = {
    {"", R"({$S,"choices":[{"index":$i,"text":"","finish_reason":"$f"}]})"}};

// Responses: `shared` are the members that never change in the course of one response.
constexpr std::string_view kResponseOpen =
    R"("sequence_number":$q,"response":{$S,"status":"in_progress","error":null,)"
    R"("incomplete_details":null,"output":[],"usage":null})";
constexpr Event kResponseOpening[] = {
    {"response.created", kResponseOpen},
    {"response.in_progress", kResponseOpen},
    {"response.output_item.added",
     R"("sequence_number":$q,"output_index":0,"item":{"id":"msg_$c","type":"message",)"
     R"("status":"in_progress","role":"assistant","content":[]})"},
    {"response.content_part.added",
     R"("sequence_number":$q,"item_id":"msg_$c","output_index":0,"content_index":0,)"
     R"("part":{"type":"output_text","text":"","annotations":[],"logprobs":[]})"}};
constexpr Event kResponseToken[] = {
    {"response.output_text.delta",
     R"("sequence_number":$q,"item_id":"msg_$c","output_index":0,"content_index":0,)"
     R"("delta":"$t","logprobs":[])"}};
constexpr Event kResponseFinish[] = {
    {"response.output_text.done",
     R"("sequence_number":$q,"item_id":"msg_$c","output_index":0,"content_index":0,)"
     R"("text":"$T","logprobs":[])"},
    {"response.content_part.done",
     R"("sequence_number":$q,"item_id":"msg_$c","output_index":0,"content_index":0,)"
     R"("part":{"type":"output_text","text":"$T","annotations":[],"logprobs":[]})"},
    {"response.output_item.done", R"("sequence_number":$q,"output_index":0,"item":$C)"},
    {"response.$f",
     R"("sequence_number":$q,"response":{$S,"status":"$f","error":null,"incomplete_details":$d,)"
     R"("output":[$C],"usage":$U})"}};
constexpr Event kResponseError[] = {
    {"error", R"("sequence_number":$q,"code":"server_error","message":$e,"param":null)"},
    {"response.failed",
     R"("sequence_number":$q,"response":{$S,"status":"failed",)"
     R"("error":{"code":"server_error","message":$e},"incomplete_details":null,"output":[],)"
     R"("usage":null})"}};

constexpr Event kTranscriptToken[] = {{"", R"({"type":"transcript.text.delta","delta":"$t"})"}};
constexpr Event kTranscriptFinish[] = {
    {"", R"({"type":"transcript.text.done","text":"$T","usage":$U})"}};

}  // namespace

constinit const Dialect kChatDialect = {
    .path = "/v1/chat/completions",
    .keep_alive = kCommentEvent,
    .first = kChatFirst,
    .token = kChatToken,
    .finish = kChatFinish,
    .usage_chunk = kUsageChunk,
    .done = kDone,
    .error = kError,
    .stopped = kStop,
    .too_long = kLength,
    .shared = R"("id":"chatcmpl-$c","object":"chat.completion.chunk","created":1700000000,)"
              R"("model":$m)",
    .usage = kUsage,
    .item = R"({"index":$i,"message":{"role":"assistant","content":"$T"},"finish_reason":"$f"})",
    .whole = R"({"id":"chatcmpl-$c","object":"chat.completion","created":1700000000,"model":$m,)"
             R"("choices":[$C],"usage":$U})",
};

constinit const Dialect kCompletionsDialect = {
    .path = "/v1/completions",
    .keep_alive = kCommentEvent,
    .token = kTextToken,
    .finish = kTextFinish,
    .usage_chunk = kUsageChunk,
    .done = kDone,
    .error = kError,
    .stopped = kStop,
    .too_long = kLength,
    .shared = R"("id":"cmpl-$c","object":"text_completion","created":1700000000,"model":$m)",
    .usage = kUsage,
    .item = R"({"index":$i,"text":"$T","finish_reason":"$f"})",
    .whole = R"({$S,"choices":[$C],"usage":$U})",
};

constinit const Dialect kResponsesDialect = {
    .path = "/v1/responses",
    .framing = Framing::kNamed,
    .keep_alive = kCommentEvent,
    .opening = kResponseOpening,
    .token = kResponseToken,
    .finish = kResponseFinish,
    .error = kResponseError,
    .stopped = {"completed", "null"},
    .too_long = {"incomplete", R"({"reason":"max_output_tokens"})"},
    .shared = R"("id":"resp_$c","object":"response","created_at":1700000000,"model":$m,)"
              R"("instructions":null,"max_output_tokens":null,"parallel_tool_calls":true,)"
              R"("previous_response_id":null,"temperature":1.0,"tool_choice":"auto","tools":[],)"
              R"("top_p":1.0,"truncation":"disabled","metadata":{})",
    .usage = R"({"input_tokens":$p,"input_tokens_details":{"cached_tokens":0},)"
             R"("output_tokens":$n,"output_tokens_details":{"reasoning_tokens":0},)"
             R"("total_tokens":$N})",
    .item = R"({"id":"msg_$c","type":"message","status":"$f","role":"assistant",)"
            R"("content":[{"type":"output_text","text":"$T","annotations":[],"logprobs":[]}]})",
    .whole = R"({$S,"status":"$f","error":null,"incomplete_details":$d,"output":[$C],)"
             R"("usage":$U})",
};

constinit const Dialect kTranscriptionsDialect = {
    .path = "/v1/audio/transcriptions",
    .required = "file",
    .form = BodyForm::kMultipart,
    .keep_alive = kCommentEvent,
    .token = kTranscriptToken,
    .finish = kTranscriptFinish,
    .error = kError,
    .usage = R"({"type":"tokens","input_tokens":$p,"output_tokens":$n,"total_tokens":$N})",
    .whole = R"({"text":"$T","usage":$U})",
    .plain = "$T\n",
};

constinit const Dialect kEmbeddingsDialect = {
    .path = "/v1/embeddings", .required = "input", .compute = embeddings_answer};

constinit const Dialect kRerankDialect = {
    .path = "/v1/rerank", .required = "documents", .compute = rerank_answer};

constinit const Dialect kTokenizeDialect = {.path = "/tokenize", .compute = tokenize_answer};

}  // namespace slipstream::lab
