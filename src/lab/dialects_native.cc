// Anthropic's Messages and Ollama's own API.
#include "lab/computed.h"
#include "lab/dialect.h"

namespace slipstream::lab {

namespace {

constexpr Event kMessageOpening[] = {
    {"message_start", R"("message":{$S,"content":[],"stop_reason":null,"stop_sequence":null,)"
                      R"("usage":{"input_tokens":$p,"output_tokens":1}})"},
    {"content_block_start", R"("index":0,"content_block":{"type":"text","text":""})"},
    {"ping", ""}};
constexpr Event kMessageToken[] = {
    {"content_block_delta", R"("index":0,"delta":{"type":"text_delta","text":"$t"})"}};
constexpr Event kMessageFinish[] = {
    {"content_block_stop", R"("index":0)"},
    {"message_delta",
     R"("delta":{"stop_reason":"$f","stop_sequence":null},"usage":{"output_tokens":$n})"},
    {"message_stop", ""}};
constexpr Event kMessageError[] = {{"error", R"("error":{"type":"api_error","message":$e})"}};

constexpr std::string_view kOllamaShared = R"("model":$m,"created_at":"2023-11-14T22:13:20Z")";
constexpr std::string_view kOllamaUsage =
    R"("total_duration":5000000,"load_duration":1000000,"prompt_eval_count":$p,)"
    R"("prompt_eval_duration":1000000,"eval_count":$n,"eval_duration":3000000)";
constexpr Event kOllamaError[] = {{"", R"({"error":$e})"}};

constexpr Event kOllamaChatToken[] = {
    {"", R"({$S,"message":{"role":"assistant","content":"$t"},"done":false})"}};
constexpr Event kOllamaChatFinish[] = {
    {"", R"({$S,"message":{"role":"assistant","content":""},"done":true,"done_reason":"$f",$U})"}};

constexpr Event kOllamaTextToken[] = {{"", R"({$S,"response":"$t","done":false})"}};
constexpr Event kOllamaTextFinish[] = {
    {"", R"({$S,"response":"","done":true,"done_reason":"$f","context":[1,2,3],$U})"}};

}  // namespace

constinit const Dialect kMessagesDialect = {
    .path = "/v1/messages",
    .required = "max_tokens",
    .errors = ErrorShape::kAnthropic,
    .framing = Framing::kNamed,
    .keep_alive = "event: ping\ndata: {\"type\":\"ping\"}\n\n",
    .opening = kMessageOpening,
    .token = kMessageToken,
    .finish = kMessageFinish,
    .error = kMessageError,
    .stopped = {"end_turn", ""},
    .too_long = {"max_tokens", ""},
    .shared = R"("id":"msg_$c","type":"message","role":"assistant","model":$m)",
    .whole = R"({$S,"content":[{"type":"text","text":"$T"}],"stop_reason":"$f",)"
             R"("stop_sequence":null,"usage":{"input_tokens":$p,"output_tokens":$n}})",
};

constinit const Dialect kCountTokensDialect = {.path = "/v1/messages/count_tokens",
                                               .errors = ErrorShape::kAnthropic,
                                               .compute = count_tokens_answer};

constinit const Dialect kOllamaChatDialect = {
    .path = "/api/chat",
    .delivery = Delivery::kStreamed,
    .errors = ErrorShape::kOllama,
    .framing = Framing::kLines,
    .token = kOllamaChatToken,
    .finish = kOllamaChatFinish,
    .error = kOllamaError,
    .stopped = {"stop", ""},
    .too_long = {"length", ""},
    .shared = kOllamaShared,
    .usage = kOllamaUsage,
    .whole = R"({$S,"message":{"role":"assistant","content":"$T"},"done":true,)"
             R"("done_reason":"$f",$U})",
};

constinit const Dialect kOllamaGenerateDialect = {
    .path = "/api/generate",
    .delivery = Delivery::kStreamed,
    .errors = ErrorShape::kOllama,
    .framing = Framing::kLines,
    .token = kOllamaTextToken,
    .finish = kOllamaTextFinish,
    .error = kOllamaError,
    .stopped = {"stop", ""},
    .too_long = {"length", ""},
    .shared = kOllamaShared,
    .usage = kOllamaUsage,
    .whole = R"({$S,"response":"$T","done":true,"done_reason":"$f","context":[1,2,3],$U})",
};

constinit const Dialect kOllamaEmbedDialect = {.path = "/api/embed",
                                               .required = "input",
                                               .errors = ErrorShape::kOllama,
                                               .compute = ollama_embed_answer};

}  // namespace slipstream::lab
