#include "identity/probes.h"

#include <array>

#include "base/text.h"
#include "json/escape.h"
#include "json/reader.h"

namespace slipstream::identity {

namespace {

struct Row {
  std::string_view method;
  std::string_view path;
  std::string_view other_path;  // empty: none
};
constexpr Row row_of(Question question) {
  switch (question) {
    case Question::kModels:
      return {"GET", "/v1/models", ""};
    case Question::kVersion:
      return {"GET", "/version", ""};
    case Question::kTokenizerInfo:
      return {"GET", "/tokenizer_info", ""};
    case Question::kSglangModel:
      return {"GET", "/get_model_info", "/model_info"};
    case Question::kSglangServer:
      return {"GET", "/get_server_info", "/server_info"};
    case Question::kLlamaCppProps:
      return {"GET", "/props", ""};
    case Question::kLlamaCppAdapters:
      return {"GET", "/lora-adapters", ""};
    case Question::kOllamaVersion:
      return {"GET", "/api/version", ""};
    case Question::kOllamaTags:
      return {"GET", "/api/tags", ""};
    case Question::kOllamaShow:
      return {"POST", "/api/show", ""};
    case Question::kTgiInfo:
      return {"GET", "/info", ""};
    case Question::kLmStudioModels:
      return {"GET", "/api/v1/models", ""};
  }
  return {};
}

using enum Question;
constexpr std::array kVllm = {kVersion, kModels, kTokenizerInfo};
constexpr std::array kSglang = {kSglangServer, kSglangModel, kModels};
constexpr std::array kLlamaCpp = {kLlamaCppProps, kModels, kLlamaCppAdapters};
constexpr std::array kOllama = {kOllamaVersion, kOllamaTags};
constexpr std::array kTgi = {kTgiInfo};
constexpr std::array kLmStudio = {kLmStudioModels};
constexpr std::array kGeneric = {kModels};
// /v1/models first: most servers know it and many sign it, so that few probes meet a 404.
constexpr std::array kDetection = {kModels,       kOllamaVersion,  kLlamaCppProps,
                                   kSglangServer, kLmStudioModels, kTgiInfo};

// The owner that servers write beside the models they serve.
std::optional<Profile> profile_of_owner(std::string_view models) {
  json::Elements list(json::find(models, "data"));
  if (!list.next()) return std::nullopt;
  const std::string_view owner = json::find(list.value(), "owned_by");
  if (owner == R"("vllm")") return Profile::kVllm;
  if (owner == R"("sglang")") return Profile::kSglang;
  if (owner == R"("llamacpp")") return Profile::kLlamaCpp;
  return std::nullopt;
}

}  // namespace

Probe probe_for(Question question, std::string_view model) {
  const Row row = row_of(question);
  Probe probe{.question = question, .method = row.method, .path = std::string(row.path)};
  if (question == Question::kOllamaShow) {
    probe.body = R"({"model":)";
    json::append_quoted(probe.body, model);
    probe.body += '}';
    probe.subject = model;
  }
  return probe;
}

std::optional<Probe> other_probe_for(const Probe& probe) {
  const Row row = row_of(probe.question);
  if (row.other_path.empty() || probe.path == row.other_path) return std::nullopt;
  Probe other = probe;
  other.path = row.other_path;
  return other;
}

std::span<const Question> questions_of(Profile profile) {
  switch (profile) {
    case Profile::kGeneric:
      return kGeneric;
    case Profile::kOpenAi:
    case Profile::kAzure:
    case Profile::kAnthropic:
      return {};
    case Profile::kVllm:
      return kVllm;
    case Profile::kSglang:
      return kSglang;
    case Profile::kLlamaCpp:
      return kLlamaCpp;
    case Profile::kOllama:
      return kOllama;
    case Profile::kTgi:
      return kTgi;
    case Profile::kLmStudio:
      return kLmStudio;
  }
  return {};
}

std::span<const Question> detection() {
  return kDetection;
}

std::optional<Profile> recognise(Question question, std::string_view canonical) {
  const auto has = [&](std::string_view name) { return !json::find(canonical, name).empty(); };
  switch (question) {
    case Question::kModels:
      return profile_of_owner(canonical);
    case Question::kOllamaVersion:
      return has("version") ? std::optional(Profile::kOllama) : std::nullopt;
    case Question::kLlamaCppProps:
      return has("default_generation_settings") ? std::optional(Profile::kLlamaCpp) : std::nullopt;
    case Question::kSglangServer:
      // vLLM in development mode knows the newer name, with other members.
      return has("tokenizer_path") ? std::optional(Profile::kSglang) : std::nullopt;
    case Question::kLmStudioModels:
      return has("models") ? std::optional(Profile::kLmStudio) : std::nullopt;
    case Question::kTgiInfo:
      return has("model_id") ? std::optional(Profile::kTgi) : std::nullopt;
    case Question::kVersion:
    case Question::kTokenizerInfo:
    case Question::kSglangModel:
    case Question::kLlamaCppAdapters:
    case Question::kOllamaTags:
    case Question::kOllamaShow:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Profile> recognise_host(std::string_view host) {
  std::string lower(host);
  for (char& c : lower) c = ascii_lower(c);
  if (lower == "api.openai.com") return Profile::kOpenAi;
  if (lower == "api.anthropic.com") return Profile::kAnthropic;
  if (lower.ends_with(".openai.azure.com")) return Profile::kAzure;
  return std::nullopt;
}

}  // namespace slipstream::identity
