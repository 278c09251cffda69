// The members of a request body that the stub model server acts upon; all others are accepted.
// Pure; a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/canonical.h"
#include "lab/dialect.h"
#include "lab/timeline.h"

namespace slipstream::lab {

enum class Encoding { kFloat, kBase64 };
enum class TextForm { kObject, kPlain };

struct StubRequest {
  static constexpr int kChoicesMax = 128;
  static constexpr int kDimensionsMax = 8192;

  Surface surface = Surface::kChat;
  std::string model = "stub";
  Delivery delivery = Delivery::kWhole;
  UsageChunk usage = UsageChunk::kOmitted;
  int choices = 1;      // n, times the prompts of a batch
  int max_tokens = -1;  // -1 = not said, or no limit (Ollama)
  std::uint64_t prompt_tokens = 0;
  TextForm text_form = TextForm::kObject;  // of a transcription
  // What is embedded, ranked or tokenized, as JSON text.
  std::vector<std::string> inputs;
  std::string query;
  int dimensions = 8;
  Encoding encoding = Encoding::kFloat;
  int top_n = -1;
};

// Fails with the sentence for a 400 if the body is no JSON object (or, where the surface wants it,
// no multipart form of the given content type) or a member is missing or out of form.
Result<StubRequest, std::string> read_stub_request(Surface surface, std::string_view content_type,
                                                   std::string_view body,
                                                   json::Canonicalizer& canonicalizer);

}  // namespace slipstream::lab
