#include "lab/stub_request.h"

#include <algorithm>
#include <optional>

#include "json/decimal.h"
#include "json/reader.h"

namespace slipstream::lab {

namespace {

constexpr int kMaxTokensMax = 10'000'000;

std::optional<int> count_of(const json::Member& member, int max) {
  if (member.kind != json::Kind::kNumber) return std::nullopt;
  const auto value = json::exact_integer(member.raw);
  if (!value || *value < 1 || *value > max) return std::nullopt;
  return static_cast<int>(*value);
}

// A text, an array of texts, an array of token numbers or an array of such arrays.
std::vector<std::string> inputs_of(std::string_view raw) {
  std::vector<std::string> inputs;
  for (json::Elements elements(raw); elements.next();) {
    if (json::kind_of(elements.value()) == json::Kind::kNumber) break;
    inputs.emplace_back(elements.value());
  }
  if (inputs.empty()) inputs.emplace_back(raw);
  return inputs;
}

// False if the member is known and out of form.
bool take_text(StubRequest& request, const json::Member& member) {
  std::string scratch;
  const auto text = json::text_of(member.raw, scratch);
  if (member.name == "model") {
    if (text) request.model = *text;
    return text.has_value();
  }
  if (text == "base64") request.encoding = Encoding::kBase64;
  return text == "base64" || text == "float";
}

bool take_count(const json::Member& member, int& target, int max) {
  const auto count = count_of(member, max);
  if (count) target = *count;
  return count.has_value();
}

bool take(StubRequest& request, const json::Member& member) {
  const std::string_view name = member.name;
  const bool flag = member.kind == json::Kind::kTrue;
  if (member.kind == json::Kind::kNull) return true;
  if (name == "model" || name == "encoding_format") return take_text(request, member);
  if (name == "n") return take_count(member, request.choices, StubRequest::kChoicesMax);
  if (name == "dimensions") {
    return take_count(member, request.dimensions, StubRequest::kDimensionsMax);
  }
  if (name == "max_tokens" || name == "max_completion_tokens") {
    return take_count(member, request.max_tokens, kMaxTokensMax);
  }
  if (name == "stream") {
    request.delivery = flag ? Delivery::kStreamed : Delivery::kWhole;
    return flag || member.kind == json::Kind::kFalse;
  }
  if (name == "stream_options" && json::find(member.raw, "include_usage") == "true") {
    request.usage = UsageChunk::kSent;
  }
  if (name == "input" || name == "prompt") request.inputs = inputs_of(member.raw);
  return true;
}

}  // namespace

Result<StubRequest, std::string> read_stub_request(Surface surface, std::string_view body,
                                                   json::Canonicalizer& canonicalizer) {
  std::string canonical;
  const auto kind = canonicalizer.append(body, canonical);
  if (!kind) return Failure{"the body is not JSON: " + std::string(to_string(kind.error().fault))};
  if (*kind != json::Kind::kObject) return Failure{std::string("the body is no JSON object")};
  StubRequest request;
  request.surface = surface;
  request.prompt_tokens = body.size() / 4;
  for (const json::Member& member : canonicalizer.members()) {
    if (!take(request, member)) {
      return Failure{"'" + std::string(member.name) + "' has a value out of form"};
    }
  }
  if (surface == Surface::kEmbeddings && request.inputs.empty()) {
    return Failure{std::string("'input' is missing")};
  }
  const std::size_t prompts = std::max<std::size_t>(request.inputs.size(), 1);
  if (surface == Surface::kEmbeddings) return request;
  if (prompts > StubRequest::kChoicesMax) return Failure{std::string("'prompt' holds too many")};
  request.choices *= static_cast<int>(prompts);
  return request;
}

}  // namespace slipstream::lab
