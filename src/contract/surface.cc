#include "contract/surface.h"

#include <array>

#include "base/text.h"
#include "contract/name_table.h"

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

struct PathRow {
  std::string_view name;
  Surface surface;
};
constexpr auto kPaths = std::to_array<PathRow>({
    {"/v1/chat/completions", Surface::kChatCompletions},
    {"/v1/completions", Surface::kCompletions},
    {"/v1/embeddings", Surface::kEmbeddings},
    {"/v1/responses", Surface::kResponses},
    {"/v1/rerank", Surface::kRerank},
    {"/v2/rerank", Surface::kRerank},
    {"/rerank", Surface::kRerank},
    {"/tokenize", Surface::kTokenize},
    {"/v1/tokenize", Surface::kTokenize},
    {"/v1/messages", Surface::kMessages},
    {"/v1/messages/count_tokens", Surface::kCountTokens},
    {"/api/chat", Surface::kOllamaChat},
    {"/api/generate", Surface::kOllamaGenerate},
    {"/api/embed", Surface::kOllamaEmbed},
    {"/v1/audio/transcriptions", Surface::kTranscriptions},
});
constexpr NameIndex kPathIndex(kPaths);

// Azure names the deployment in front of these.
constexpr std::string_view kAzurePrefix = "/openai/deployments/";
constexpr auto kAzurePaths = std::to_array<PathRow>({
    {"/chat/completions", Surface::kChatCompletions},
    {"/completions", Surface::kCompletions},
    {"/embeddings", Surface::kEmbeddings},
});
constexpr NameIndex kAzureIndex(kAzurePaths);

const PathRow* find_path(std::string_view path) {
  if (!path.starts_with(kAzurePrefix)) return kPathIndex.find(path);
  path.remove_prefix(kAzurePrefix.size());
  const std::size_t slash = path.find('/');
  if (slash == 0 || slash == std::string_view::npos) return nullptr;
  return kAzureIndex.find(path.substr(slash));
}

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

std::vector<std::string> paths_of(Surface surface) {
  std::vector<std::string> paths;
  for (const PathRow& row : kPaths) {
    if (row.surface == surface) paths.emplace_back(row.name);
  }
  for (const PathRow& row : kAzurePaths) {
    if (row.surface != surface) continue;
    paths.push_back(std::string(kAzurePrefix) + "{name}" + std::string(row.name));
  }
  return paths;
}

Surface surface_of(std::string_view method, std::string_view path) {
  if (method != "POST") return Surface::kPassThrough;
  // Servers compare decoded paths; an escaped letter must not lead past the contract.
  std::string without_escapes;
  if (path.find('%') != std::string_view::npos) path = without_escapes = percent_decoded(path);
  const PathRow* const row = find_path(path);
  return row != nullptr ? row->surface : Surface::kPassThrough;
}

}  // namespace slipstream::contract
