#include "lab/stub_request.h"

#include <algorithm>
#include <optional>

#include "json/decimal.h"
#include "json/reader.h"
#include "lab/form.h"

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

bool take_encoding(StubRequest& request, std::string_view name) {
  if (name == "base64") request.encoding = Encoding::kBase64;
  return name == "base64" || name == "float";
}

bool take_count(const json::Member& member, int& target, int max) {
  const auto count = count_of(member, max);
  if (count) target = *count;
  return count.has_value();
}

bool take_stream(StubRequest& request, std::string_view flag) {
  request.delivery = flag == "true" ? Delivery::kStreamed : Delivery::kWhole;
  return flag == "true" || flag == "false";
}

// Ollama's limit stands among the options; -1 and -2 set none.
bool take_options(StubRequest& request, std::string_view options) {
  const std::string_view limit = json::find(options, "num_predict");
  if (json::kind_of(limit) != json::Kind::kNumber) return limit.empty();
  const auto tokens = json::exact_integer(limit);
  if (!tokens || *tokens > kMaxTokensMax) return false;
  if (*tokens > 0) request.max_tokens = static_cast<int>(*tokens);
  return true;
}

// False if the member is known and out of form.
bool take(StubRequest& request, const json::Member& member) {
  const std::string_view name = member.name;
  if (member.kind == json::Kind::kNull) return true;
  if (name == "model" || name == "encoding_format") {
    std::string scratch;
    const auto text = json::text_of(member.raw, scratch);
    if (text && name == "model") request.model = *text;
    return text && (name == "model" || take_encoding(request, *text));
  }
  if (name == "n") return take_count(member, request.choices, StubRequest::kChoicesMax);
  if (name == "top_n") return take_count(member, request.top_n, kMaxTokensMax);
  if (name == "dimensions") {
    return take_count(member, request.dimensions, StubRequest::kDimensionsMax);
  }
  if (name == "max_tokens" || name == "max_completion_tokens" || name == "max_output_tokens") {
    return take_count(member, request.max_tokens, kMaxTokensMax);
  }
  if (name == "stream") return take_stream(request, member.raw);
  if (name == "stream_options" && json::find(member.raw, "include_usage") == "true") {
    request.usage = UsageChunk::kSent;
  }
  if (name == "options") return take_options(request, member.raw);
  if (name == "query") request.query = member.raw;
  if (name == "input" || name == "prompt" || name == "documents") {
    request.inputs = inputs_of(member.raw);
  }
  return true;
}

bool take_part(StubRequest& request, const FormPart& part) {
  if (part.name == "model") request.model = part.value;
  if (part.name == "file") request.prompt_tokens = part.value.size() / 4;
  if (part.name == "stream") return take_stream(request, part.value);
  if (part.name != "response_format") return true;
  if (part.value == "text") request.text_form = TextForm::kPlain;
  return part.value == "text" || part.value == "json";
}

Failure<std::string> out_of_form(std::string_view name) {
  return Failure{"'" + std::string(name) + "' has a value out of form"};
}

// Both return whether the body has the member `required`.
Result<bool, std::string> read_json(StubRequest& request, std::string_view required,
                                    std::string_view body, json::Canonicalizer& canonicalizer) {
  std::string canonical;
  const auto kind = canonicalizer.append(body, canonical);
  if (!kind) return Failure{"the body is not JSON: " + std::string(to_string(kind.error().fault))};
  if (*kind != json::Kind::kObject) return Failure{std::string("the body is no JSON object")};
  request.prompt_tokens = canonical.size() / 4;
  bool found = false;
  for (const json::Member& member : canonicalizer.members()) {
    if (!take(request, member)) return out_of_form(member.name);
    found |= member.name == required;
  }
  return found;
}

Result<bool, std::string> read_form(StubRequest& request, std::string_view required,
                                    std::string_view content_type, std::string_view body) {
  FormParts parts(content_type, body);
  bool found = false;
  while (parts.next()) {
    if (!take_part(request, parts.part())) return out_of_form(parts.part().name);
    found |= parts.part().name == required;
  }
  if (!parts.whole()) return Failure{std::string("the body is no multipart form")};
  return found;
}

}  // namespace

Result<StubRequest, std::string> read_stub_request(Surface surface, std::string_view content_type,
                                                   std::string_view body,
                                                   json::Canonicalizer& canonicalizer) {
  const Dialect& dialect = dialect_of(surface);
  StubRequest request;
  request.surface = surface;
  request.delivery = dialect.delivery;
  const auto found = dialect.form == BodyForm::kJson
                         ? read_json(request, dialect.required, body, canonicalizer)
                         : read_form(request, dialect.required, content_type, body);
  if (!found) return Failure{found.error()};
  if (!*found && !dialect.required.empty()) {
    return Failure{"'" + std::string(dialect.required) + "' is missing"};
  }
  if (dialect.compute) request.delivery = Delivery::kWhole;
  if (surface == Surface::kCompletions) {
    const std::size_t prompts = std::max<std::size_t>(request.inputs.size(), 1);
    if (prompts > StubRequest::kChoicesMax) return Failure{std::string("'prompt' holds too many")};
    request.choices *= static_cast<int>(prompts);
  } else if (surface != Surface::kChat) {
    request.choices = 1;
  }
  return request;
}

}  // namespace slipstream::lab
