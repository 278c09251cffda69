// The fields that OpenAI's own API defines, surface by surface (openai-openapi of 2026-08), and the
// surfaces that have no other home: rerank, tokenize.
#pragma once

#include "contract/rows.h"

namespace slipstream::contract::rows {

// clang-format off
// What every generating surface takes.
inline constexpr auto kGeneration = std::to_array<FieldRow>({
    {"model", kK, kAll, Part::kModel},
    {"temperature", kK, kAll, Part::kTemperature},
    {"top_p", kK, kAll},
    {"stream", kS, kAll, Part::kStream},
});

// Accounting and routing marks of hosted APIs. Ollama decodes into a struct that lacks them; vLLM
// declares `user` and documents it as ignored.
inline constexpr auto kHosted = std::to_array<FieldRow>({
    {"user", kI, kOpenAi | kVllm, Part::kOther, kNeutral, kVllm | kOllama},
    {"safety_identifier", kI, kOpenAi, Part::kOther, kNeutral, kOllama},
    {"service_tier", kR, kOpenAi, Part::kOther, kNeutral, kOllama},
    {"prompt_cache_key", kR, kOpenAi, Part::kOther, kNeutral, kOllama},
    {"prompt_cache_retention", kR, kOpenAi, Part::kOther, kNeutral, kOllama},
    {"prompt_cache_options", kR, kOpenAi, Part::kOther, kNeutral, kOllama},
});

// Chat and completions.
inline constexpr auto kDecoding = std::to_array<FieldRow>({
    {"seed", kK, kAll, Part::kSeed},
    {"stop", kK, kAll},
    {"max_tokens", kK, kAll},
    {"frequency_penalty", kK, kAll},
    {"presence_penalty", kK, kAll},
    {"logit_bias", kK, kOpenAi | kEngines | kTgi},
    {"n", kK, kOpenAi | kVllm | kSglang | kLlamaCpp | kTgi},
    {"logprobs", kS, kAll},
    {"stream_options", kS, kAll},
});

inline constexpr auto kChatOwn = std::to_array<FieldRow>({
    {"messages", kK, kAll, Part::kContent},
    {"max_completion_tokens", kK, kOpenAi | kVllm | kSglang | kLlamaCpp},
    {"response_format", kK, kAll},
    {"tools", kK, kAll, Part::kTools},
    {"tool_choice", kK, kOpenAi | kEngines | kTgi},
    {"functions", kK, kOpenAi},
    {"function_call", kK, kOpenAi},
    {"parallel_tool_calls", kK, kOpenAi | kVllm | kSglang | kLlamaCpp},
    {"reasoning_effort", kK, kOpenAi | kVllm | kSglang | kLlamaCpp | kOllama},
    {"verbosity", kK, kOpenAi},
    {"modalities", kK, kOpenAi, Part::kOutputs},
    {"audio", kX, kOpenAi},  // the id of the sound is a handle for later turns
    {"moderation", kK, kOpenAi},
    {"top_logprobs", kS, kAll},
    {"prediction", kR, kOpenAi},
    {"store", kX, kOpenAi, Part::kOther, kNeutral, kOllama},
    {"metadata", kX, kOpenAi, Part::kOther, kNeutral, kOllama},
    {"web_search_options", kX, kOpenAi},
});

inline constexpr auto kCompletionsOwn = std::to_array<FieldRow>({
    {"prompt", kK, kAll, Part::kPrompt},
    {"best_of", kK, kOpenAi | kVllm | kSglang},
    {"echo", kK, kOpenAi | kVllm | kSglang},
    {"suffix", kK, kOpenAi | kSglang | kOllama | kTgi},
    {"response_format", kK, kVllm},
});

inline constexpr auto kResponsesOwn = std::to_array<FieldRow>({
    {"input", kK, kAll, Part::kContent},
    {"instructions", kK, kAll},
    {"max_output_tokens", kK, kAll},
    {"text", kK, kAll},
    {"reasoning", kK, kAll},
    {"tools", kK, kAll, Part::kTools},
    {"tool_choice", kK, kOpenAi | kEngines},
    {"parallel_tool_calls", kK, kOpenAi | kEngines},
    {"max_tool_calls", kK, kOpenAi | kVllm},
    {"truncation", kK, kOpenAi | kVllm | kOllama},
    {"moderation", kK, kOpenAi},
    {"top_k", kK, kEngines},  // not known to be read by any of them on this surface
    {"stream_options", kS, kOpenAi},
    {"include", kS, kOpenAi | kVllm | kOllama},
    {"top_logprobs", kS, kOpenAi | kVllm},
    {"enable_response_messages", kS, kVllm},
    {"store", kX, kOpenAi | kVllm | kSglang, Part::kStore},  // absent means true
    {"metadata", kX, kOpenAi},
    {"background", kX, kOpenAi | kVllm | kSglang | kOllama},
    {"background_options", kX, kOpenAi},
    {"previous_response_id", kX, kOpenAi | kVllm | kSglang},
    {"previous_input_messages", kK, kVllm},
    {"conversation", kX, kOpenAi | kOllama},
    {"context_management", kX, kOpenAi},
    {"prompt", kX, kOpenAi},  // a template at the server, whose version may change
    {"access_programs", kX, kOpenAi},
});

inline constexpr auto kEmbeddingsOwn = std::to_array<FieldRow>({
    {"model", kK, kAll, Part::kModel},
    {"input", kK, kAll, Part::kContent},
    {"dimensions", kK, kOpenAi | kVllm | kSglang | kOllama},
    {"encoding_format", kS, kOpenAi | kEngines | kOllama},
    {"messages", kK, kVllm, Part::kContent},
    {"use_activation", kK, kVllm},
    {"truncate_prompt_tokens", kK, kVllm},
    {"truncation_side", kK, kVllm},
    {"add_special_tokens", kK, kVllm},
    {"add_generation_prompt", kK, kVllm},
    {"continue_final_message", kK, kVllm},
    {"chat_template", kT, kVllm},  // code that may read the clock
    {"chat_template_kwargs", kK, kVllm},
    {"mm_processor_kwargs", kK, kVllm},
    {"embed_dtype", kS, kVllm},
    {"endianness", kS, kVllm},
    {"priority", kR, kVllm | kSglang},
    {"request_id", kI, kVllm},
    {"lora_path", kK, kSglang},
    {"embed_overrides", kK, kSglang},
    {"embed_override_token_id", kK, kSglang},
    {"rid", kI, kSglang},
    {"embd_normalize", kK, kLlamaCpp},
});

inline constexpr auto kRerankOwn = std::to_array<FieldRow>({
    {"model", kK, kEngines, Part::kModel},
    {"query", kK, kEngines, Part::kContent},
    {"documents", kK, kEngines, Part::kContent},
    {"top_n", kK, kEngines},
    {"instruct", kK, kSglang},
    {"user", kI, kVllm, Part::kOther, kNeutral, kVllm},
    {"return_documents", kS, kSglang},
    {"truncate_prompt_tokens", kK, kVllm},
    {"truncation_side", kK, kVllm},
    {"mm_processor_kwargs", kK, kVllm},
    {"use_activation", kK, kVllm},
    {"softmax", kK, kVllm},
    {"activation", kK, kVllm},
    {"priority", kR, kVllm},
    {"request_id", kI, kVllm},
    {"rid", kI, kSglang},
});

inline constexpr auto kTokenizeOwn = std::to_array<FieldRow>({
    {"model", kK, kVllm | kSglang, Part::kModel},
    {"prompt", kK, kVllm | kSglang, Part::kPrompt},
    {"messages", kK, kVllm, Part::kContent},
    {"tools", kK, kVllm},
    {"add_special_tokens", kK, kVllm | kSglang},
    {"add_generation_prompt", kK, kVllm},
    {"continue_final_message", kK, kVllm},
    {"chat_template", kT, kVllm},  // code that may read the clock
    {"chat_template_kwargs", kK, kVllm},
    {"mm_processor_kwargs", kK, kVllm},
    {"return_token_strs", kS, kVllm},
    {"content", kK, kLlamaCpp},
    {"add_special", kK, kLlamaCpp},
    {"parse_special", kK, kLlamaCpp},
    {"with_pieces", kS, kLlamaCpp},
});

// A multipart form: names as its parts spell them.
inline constexpr auto kTranscriptionsOwn = std::to_array<FieldRow>({
    {"file", kK, kAll},
    {"language", kK, kOpenAi | kVllm},
    {"languages[]", kK, kOpenAi},
    {"keywords[]", kK, kOpenAi},
    {"prompt", kK, kOpenAi | kVllm},
    {"chunking_strategy", kK, kOpenAi},
    {"known_speaker_names[]", kK, kOpenAi},
    {"known_speaker_references[]", kK, kOpenAi},  // data: URLs
    {"response_format", kS, kOpenAi | kVllm},
    {"include[]", kS, kOpenAi},
    {"timestamp_granularities[]", kS, kOpenAi | kVllm},
    {"use_beam_search", kK, kVllm, Part::kOther, kDraws},
    {"n", kK, kVllm},
    {"top_k", kK, kVllm, Part::kTopK},
    {"min_p", kK, kVllm},
    {"seed", kK, kVllm, Part::kSeed},
    {"frequency_penalty", kK, kVllm},
    {"presence_penalty", kK, kVllm},
    {"repetition_penalty", kK, kVllm},
    {"max_completion_tokens", kK, kVllm},
    {"hotwords", kK, kVllm},
    {"stream_include_usage", kS, kVllm},
    {"stream_continuous_usage_stats", kS, kVllm},
    {"vllm_xargs", kX, kVllm},
});
// clang-format on

}  // namespace slipstream::contract::rows
