// The stub's answers that no generation is behind: equal requests get equal answers, only ids name
// the call. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "lab/stub_request.h"

namespace slipstream::lab {

std::string embeddings_answer(const StubRequest& request, std::uint64_t call);    // OpenAI
std::string ollama_embed_answer(const StubRequest& request, std::uint64_t call);  // Ollama
std::string rerank_answer(const StubRequest& request, std::uint64_t call);        // vLLM, Jina
std::string tokenize_answer(const StubRequest& request, std::uint64_t call);      // vLLM
std::string count_tokens_answer(const StubRequest& request, std::uint64_t call);  // Anthropic

}  // namespace slipstream::lab
