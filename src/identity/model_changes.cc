#include "identity/model_changes.h"

#include <string>

#include "base/text.h"

namespace slipstream::identity {

namespace {

enum class Match {
  kEnd,        // the path ends with it
  kLastStarts  // the last segment starts with it
};
struct Row {
  Profile profile;
  std::string_view method;  // empty: any
  std::string_view path;
  Match match = Match::kEnd;
};

constexpr Row kRows[] = {
    {Profile::kOllama, "POST", "/api/pull"},
    {Profile::kOllama, "POST", "/api/create"},
    {Profile::kOllama, "POST", "/api/copy"},
    {Profile::kOllama, "DELETE", "/api/delete"},
    {Profile::kLlamaCpp, "POST", "/lora-adapters"},
    {Profile::kLlamaCpp, "POST", "/models/load"},
    {Profile::kLlamaCpp, "POST", "/models/unload"},
    {Profile::kLlamaCpp, "POST", "/props"},
    {Profile::kVllm, "POST", "/load_lora_adapter"},
    {Profile::kVllm, "POST", "/unload_lora_adapter"},
    {Profile::kVllm, "POST", "/sleep"},
    {Profile::kVllm, "POST", "/wake_up"},
    {Profile::kVllm, "POST", "/collective_rpc"},
    {Profile::kVllm, "POST", "/update_weight", Match::kLastStarts},
    {Profile::kVllm, "POST", "/reload_weights", Match::kLastStarts},
    // SGLang opens its control routes to GET, too.
    {Profile::kSglang, "", "/update_weight", Match::kLastStarts},
    {Profile::kSglang, "", "/load_lora_adapter", Match::kLastStarts},
    {Profile::kSglang, "", "/unload_lora_adapter"},
    {Profile::kSglang, "", "/release_memory_occupation"},
    {Profile::kSglang, "", "/resume_memory_occupation"},
    {Profile::kLmStudio, "POST", "/models/load"},
    {Profile::kLmStudio, "POST", "/models/unload"},
    // llama-swap, which stands before any of them.
    {Profile::kGeneric, "", "/unload"},
};

bool matches(const Row& row, std::string_view path) {
  if (row.match == Match::kEnd) return path.ends_with(row.path);
  const std::size_t slash = path.rfind('/');
  return slash != std::string_view::npos && path.substr(slash).starts_with(row.path);
}

}  // namespace

bool changes_model(Profile profile, std::string_view method, std::string_view path) {
  if (method == "HEAD" || method == "OPTIONS") return false;
  std::string without_escapes;
  // Servers compare decoded paths; an escaped letter must not hide one.
  if (path.find('%') != std::string_view::npos) path = without_escapes = percent_decoded(path);
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  for (const Row& row : kRows) {
    const bool counts =
        profile == Profile::kGeneric || row.profile == profile || row.profile == Profile::kGeneric;
    if (counts && (row.method.empty() || row.method == method) && matches(row, path)) return true;
  }
  return false;
}

}  // namespace slipstream::identity
