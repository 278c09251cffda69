// The members of a request body that the stub model server acts upon; all others are accepted.
// Pure; a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/canonical.h"
#include "lab/timeline.h"

namespace slipstream::lab {

enum class Surface { kChat, kCompletions, kEmbeddings };
enum class Encoding { kFloat, kBase64 };

struct StubRequest {
  static constexpr int kChoicesMax = 128;
  static constexpr int kDimensionsMax = 8192;

  Surface surface = Surface::kChat;
  std::string model = "stub";
  Delivery delivery = Delivery::kWhole;
  UsageChunk usage = UsageChunk::kOmitted;
  int choices = 1;      // n, times the prompts of a batch
  int max_tokens = -1;  // -1 = not said
  std::uint64_t prompt_tokens = 0;
  // Embeddings only.
  std::vector<std::string> inputs;  // as JSON text
  int dimensions = 8;
  Encoding encoding = Encoding::kFloat;
};

// Fails with the sentence for a 400 if the body is no JSON object or a member is out of form.
Result<StubRequest, std::string> read_stub_request(Surface surface, std::string_view body,
                                                   json::Canonicalizer& canonicalizer);

}  // namespace slipstream::lab
