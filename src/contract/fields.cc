#include "contract/fields.h"

#include <utility>

#include "contract/rows_native.h"
#include "contract/rows_openai.h"
#include "contract/rows_servers.h"

namespace slipstream::contract {
namespace {

using namespace rows;

constexpr std::uint16_t kExtended =
    on({Surface::kChatCompletions, Surface::kCompletions, Surface::kResponses});

// A surface's own rows come first, then what servers add everywhere.
// clang-format off
constexpr auto kGroups = std::to_array<FieldGroup>({
    {"Chat completions", kChatOwn, on({Surface::kChatCompletions})},
    {"Completions", kCompletionsOwn, on({Surface::kCompletions})},
    {"Responses", kResponsesOwn, on({Surface::kResponses})},
    {"Embeddings", kEmbeddingsOwn, on({Surface::kEmbeddings})},
    {"Rerank", kRerankOwn, on({Surface::kRerank})},
    {"Tokenize", kTokenizeOwn, on({Surface::kTokenize})},
    {"Messages and their token count", kMessagesOwn,
     on({Surface::kMessages, Surface::kCountTokens})},
    {"Ollama", kOllamaShared,
     on({Surface::kOllamaChat, Surface::kOllamaGenerate, Surface::kOllamaEmbed})},
    {"Ollama, generating", kOllamaGenerating,
     on({Surface::kOllamaChat, Surface::kOllamaGenerate})},
    {"Ollama chat", kOllamaChatOwn, on({Surface::kOllamaChat})},
    {"Ollama generate", kOllamaGenerateOwn, on({Surface::kOllamaGenerate})},
    {"Ollama embed", kOllamaEmbedOwn, on({Surface::kOllamaEmbed})},
    {"Transcriptions", kTranscriptionsOwn, on({Surface::kTranscriptions})},
    {"All that generate on OpenAI's paths", kGeneration,
     on({Surface::kChatCompletions, Surface::kCompletions, Surface::kResponses,
         Surface::kTranscriptions})},
    {"Decoding", kDecoding, on({Surface::kChatCompletions, Surface::kCompletions})},
    {"Marks for hosted APIs", kHosted,
     on({Surface::kChatCompletions, Surface::kCompletions, Surface::kResponses,
         Surface::kEmbeddings})},
    {"vLLM's additions", kVllmExtras, kExtended},
    {"SGLang's additions", kSglangExtras, kExtended},
    {"llama.cpp's additions", kLlamaCppExtras, kExtended},
    {"Additions of Ollama, Text Generation Inference and LM Studio", kOtherExtras, kExtended},
});
// clang-format on

constexpr std::size_t rows_on(Surface surface) {
  std::size_t count = 0;
  for (const FieldGroup& group : kGroups) count += group.is_on(surface) ? group.rows.size() : 0;
  return count;
}

// The table of one surface. A name that stands in two groups is known to the servers of both.
template <Surface surface>
struct Joined {
  std::array<FieldRow, rows_on(surface)> all{};
  std::size_t count = 0;

  consteval Joined() {
    for (const FieldGroup& group : kGroups) {
      if (!group.is_on(surface)) continue;
      for (const FieldRow& row : group.rows) add(row);
    }
  }
  constexpr void add(const FieldRow& row) {
    for (std::size_t i = 0; i < count; ++i) {
      if (all[i].name != row.name) continue;
      all[i].known = all[i].known | row.known;
      return;
    }
    all[count++] = row;
  }
};

template <Surface surface>
constexpr Joined<surface> kRows;
template <Surface surface>
constexpr NameIndex<FieldRow, rows_on(surface)> kIndex{
    std::span(kRows<surface>.all.data(), kRows<surface>.count)};

template <std::size_t... i>
constexpr auto all_tables(std::index_sequence<i...>) {
  return std::array<FieldTable, sizeof...(i) + 1>{FieldTable{},
                                                  kIndex<static_cast<Surface>(i + 1)>.table()...};
}
constexpr std::array<FieldTable, kSurfaceCount> kTables =
    all_tables(std::make_index_sequence<kSurfaceCount - 1>());

constexpr NameIndex kOptionsIndex(kOllamaOptions);
constexpr NameIndex kMetadataIndex(kAnthropicMetadata);
constexpr std::array<FieldTable, 3> kNestedTables = {FieldTable{}, kOptionsIndex.table(),
                                                     kMetadataIndex.table()};

// What changes or shows the answer is never left out of a key.
constexpr bool only_marks_are_ignored() {
  for (const FieldTable& table : kTables) {
    for (const FieldRow& row : table.rows()) {
      const bool mark = row.field_class == kR || row.field_class == kI || row.field_class == kX;
      if (!row.ignored.empty() && !mark) return false;
    }
  }
  return true;
}
static_assert(only_marks_are_ignored());

// look_at() passes over members of a nested object that the verdict does not look into.
constexpr bool nested_rows_do_not_act() {
  for (const FieldTable& table : kNestedTables) {
    for (const FieldRow& row : table.rows()) {
      if (row.field_class == kX || row.field_class == kT) return false;
      if (row.sampling != Sampling::kNeutral || !row.ignored.empty()) return false;
    }
  }
  return true;
}
static_assert(nested_rows_do_not_act());

}  // namespace

std::span<const FieldGroup> field_groups() {
  return kGroups;
}

const FieldTable& fields_of(Surface surface) {
  return kTables[static_cast<std::size_t>(surface)];
}

const FieldTable& fields_of(Nested nested) {
  return kNestedTables[static_cast<std::size_t>(nested)];
}

}  // namespace slipstream::contract
