// The fields of the APIs that are no kin of OpenAI's: Anthropic's and Ollama's own.
#pragma once

#include "contract/rows.h"

namespace slipstream::contract::rows {

// clang-format off
// Anthropic SDK 1.14.0. Local servers take temperature, top_k and top_p too, as API 2023-06-01 did.
inline constexpr Profiles kLocal = kVllm | kSglang | kLlamaCpp | kOllama;
inline constexpr Profiles kClaude = kAnthropic | kLocal;
inline constexpr auto kMessagesOwn = std::to_array<FieldRow>({
    {"model", kK, kClaude, Part::kModel},
    {"messages", kK, kClaude, Part::kContent},
    {"system", kK, kClaude},
    {"max_tokens", kK, kClaude},
    {"temperature", kK, kClaude, Part::kTemperature},
    {"top_k", kK, kClaude, Part::kTopK},
    {"top_p", kK, kClaude},
    {"stop_sequences", kK, kClaude},
    {"thinking", kK, kClaude},
    {"tools", kK, kClaude, Part::kTools},
    {"tool_choice", kK, kClaude},
    {"output_config", kK, kAnthropic},
    {"output_format", kK, kAnthropic},
    {"stream", kS, kClaude, Part::kStream},
    {"service_tier", kR, kAnthropic},
    {"speed", kR, kAnthropic},
    {"inference_geo", kR, kAnthropic},
    {"cache_control", kR, kAnthropic},  // writes a priced prompt cache
    {"metadata", kI, kClaude, Part::kOther, kNeutral, {}, Nested::kAnthropicMetadata},
    {"container", kX, kAnthropic},
    {"diagnostics", kX, kAnthropic},
    {"mcp_servers", kX, kAnthropic},
    {"context_management", kX, kAnthropic},
    {"compaction", kX, kAnthropic},
    {"thread", kX, kAnthropic},
    {"fallbacks", kX, kAnthropic},  // another model may answer
    {"fallback_credit_token", kX, kAnthropic},
    {"billing_policy", kX, kAnthropic},
});
inline constexpr auto kAnthropicMetadata = std::to_array<FieldRow>({
    {"user_id", kI, kAnthropic},
});

// Ollama's api/types.go.
inline constexpr auto kOllamaShared = std::to_array<FieldRow>({
    {"model", kK, kOllama, Part::kModel},
    {"options", kK, kOllama, Part::kOther, kNeutral, {}, Nested::kOllamaOptions},
    {"truncate", kK, kOllama},
    {"keep_alive", kR, kOllama, Part::kKeepAlive},
});
inline constexpr auto kOllamaGenerating = std::to_array<FieldRow>({
    {"format", kK, kOllama},
    {"think", kK, kOllama},
    {"shift", kK, kOllama},
    {"stream", kS, kOllama, Part::kStream},  // absent means true
    {"logprobs", kS, kOllama},
    {"top_logprobs", kS, kOllama},
    {"_debug_render_only", kS, kOllama},
});
inline constexpr auto kOllamaChatOwn = std::to_array<FieldRow>({
    {"messages", kK, kOllama, Part::kContent},
    {"tools", kK, kOllama, Part::kTools},
});
inline constexpr auto kOllamaGenerateOwn = std::to_array<FieldRow>({
    {"prompt", kK, kOllama, Part::kPrompt},
    {"suffix", kK, kOllama},
    {"system", kK, kOllama},
    {"template", kK, kOllama},
    {"context", kK, kOllama},
    {"raw", kK, kOllama},
    {"images", kK, kOllama},  // bytes, never fetched
});
inline constexpr auto kOllamaEmbedOwn = std::to_array<FieldRow>({
    {"input", kK, kOllama, Part::kPrompt},
    {"dimensions", kK, kOllama},
});
inline constexpr auto kOllamaOptions = std::to_array<FieldRow>({
    {"seed", kK, kOllama, Part::kSeed},
    {"temperature", kK, kOllama, Part::kTemperature},
    {"top_k", kK, kOllama, Part::kTopK},
    {"top_p", kK, kOllama},
    {"min_p", kK, kOllama},
    {"typical_p", kK, kOllama},
    {"num_predict", kK, kOllama},
    {"num_keep", kK, kOllama},
    {"repeat_last_n", kK, kOllama},
    {"repeat_penalty", kK, kOllama},
    {"presence_penalty", kK, kOllama},
    {"frequency_penalty", kK, kOllama},
    {"stop", kK, kOllama},
    {"num_ctx", kK, kOllama},  // this and below reload the model
    {"num_batch", kK, kOllama},
    {"num_gpu", kK, kOllama},
    {"main_gpu", kK, kOllama},
    {"use_mmap", kK, kOllama},
    {"num_thread", kK, kOllama},
    {"draft_num_predict", kK, kOllama},
});
// clang-format on

}  // namespace slipstream::contract::rows
