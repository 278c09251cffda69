#include "lab/dialect.h"

#include "base/text.h"
#include "json/escape.h"
#include "lab/fill.h"

namespace slipstream::lab {

namespace {

constexpr std::array<const Dialect*, kSurfaces> kDialects = {
    // in the order of Surface
    &kChatDialect,       &kCompletionsDialect,    &kEmbeddingsDialect,  &kResponsesDialect,
    &kRerankDialect,     &kTokenizeDialect,       &kMessagesDialect,    &kCountTokensDialect,
    &kOllamaChatDialect, &kOllamaGenerateDialect, &kOllamaEmbedDialect, &kTranscriptionsDialect,
};

std::string_view error_type(ErrorShape shape, int status) {
  const bool anthropic = shape == ErrorShape::kAnthropic;
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return anthropic ? "not_found_error" : "invalid_request_error";
    case 429:
      return "rate_limit_error";
    case 529:
      return anthropic ? "overloaded_error" : "server_error";
    default:
      break;
  }
  if (status < 500) return "invalid_request_error";
  return anthropic ? "api_error" : "server_error";
}

std::string_view error_pattern(ErrorShape shape) {
  switch (shape) {
    case ErrorShape::kOpenAi:
      break;
    case ErrorShape::kAnthropic:
      return R"({"type":"error","error":{"type":"$t","message":$e},"request_id":"req_stub"})";
    case ErrorShape::kOllama:
      return R"({"error":$e})";
  }
  return R"({"error":{"message":$e,"type":"$t","param":null,"code":$s}})";
}

}  // namespace

const Dialect& dialect_of(Surface surface) {
  return *kDialects[static_cast<std::size_t>(surface)];
}

std::optional<Surface> surface_at(std::string_view path) {
  for (std::size_t i = 0; i < kSurfaces; ++i) {
    if (kDialects[i]->path == path) return static_cast<Surface>(i);
  }
  return std::nullopt;
}

std::string error_object(ErrorShape shape, int status, std::string_view message) {
  std::string out;
  fill(out, error_pattern(shape), [&](std::string& to, char gap) {
    if (gap == 'e') json::append_quoted(to, message);
    if (gap == 't') to += error_type(shape, status);
    if (gap == 's') append_decimal(to, static_cast<std::uint64_t>(status));
  });
  return out;
}

}  // namespace slipstream::lab
