#include "contract/surface.h"

#include <array>

namespace slipstream::contract {
namespace {

using enum Dialect;
using enum StreamForm;
using enum Work;
using enum BodyKind;
constexpr auto kAsked = SurfaceRow::Streamed::kWhenAsked;
constexpr auto kUnless = SurfaceRow::Streamed::kUnlessDeclined;

// clang-format off
constexpr std::array<SurfaceRow, kSurfaceCount> kRows = {{
    {Surface::kPassThrough, "pass_through", kOpenAi, kNone, kGeneration, kJson, kAsked},
    {Surface::kChatCompletions, "chat_completions", kOpenAi, kEvents, kGeneration, kJson, kAsked},
    {Surface::kCompletions, "completions", kOpenAi, kEvents, kGeneration, kJson, kAsked},
    {Surface::kEmbeddings, "embeddings", kOpenAi, kNone, kFunction, kJson, kAsked},
    {Surface::kResponses, "responses", kOpenAi, kNamedEvents, kGeneration, kJson, kAsked},
    {Surface::kRerank, "rerank", kOpenAi, kNone, kFunction, kJson, kAsked},
    {Surface::kTokenize, "tokenize", kOpenAi, kNone, kFunction, kJson, kAsked},
    {Surface::kMessages, "messages", kAnthropic, kNamedEvents, kGeneration, kJson, kAsked},
    {Surface::kCountTokens, "count_tokens", kAnthropic, kNone, kFunction, kJson, kAsked},
    {Surface::kOllamaChat, "ollama_chat", kOllama, kLines, kGeneration, kJson, kUnless},
    {Surface::kOllamaGenerate, "ollama_generate", kOllama, kLines, kGeneration, kJson, kUnless},
    {Surface::kOllamaEmbed, "ollama_embed", kOllama, kNone, kFunction, kJson, kAsked},
    {Surface::kTranscriptions, "transcriptions", kOpenAi, kEvents, kGeneration, kMultipart, kAsked},
}};
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].surface) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

const SurfaceRow& row_of(Surface surface) {
  return kRows[static_cast<std::size_t>(surface)];
}

std::span<const SurfaceRow> surfaces() {
  return kRows;
}

std::string_view to_string(Surface surface) {
  return row_of(surface).name;
}

Surface surface_of(std::string_view method, std::string_view path) {
  if (method != "POST") return Surface::kPassThrough;
  if (path == "/v1/chat/completions") return Surface::kChatCompletions;
  if (path == "/v1/completions") return Surface::kCompletions;
  if (path == "/v1/embeddings") return Surface::kEmbeddings;
  if (path == "/v1/responses") return Surface::kResponses;
  if (path == "/v1/rerank") return Surface::kRerank;
  if (path == "/tokenize") return Surface::kTokenize;
  if (path == "/v1/messages") return Surface::kMessages;
  if (path == "/v1/messages/count_tokens") return Surface::kCountTokens;
  if (path == "/api/chat") return Surface::kOllamaChat;
  if (path == "/api/generate") return Surface::kOllamaGenerate;
  if (path == "/api/embed") return Surface::kOllamaEmbed;
  return Surface::kPassThrough;
}

}  // namespace slipstream::contract
