// The kinds of model server that are told apart, and their names. Nothing else lives here.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace slipstream {

enum class Profile {
  kGeneric,
  kOpenAi,
  kAzure,
  kAnthropic,
  kVllm,
  kSglang,
  kLlamaCpp,
  kOllama,
  kTgi,
  kLmStudio
};
// By the enum's order; what configuration, pages and labels use.
inline constexpr std::array<std::string_view, 10> kProfileNames = {
    "generic", "openai",   "azure",  "anthropic", "vllm",
    "sglang",  "llamacpp", "ollama", "tgi",       "lmstudio"};

constexpr std::string_view to_string(Profile profile) {
  return kProfileNames[static_cast<std::size_t>(profile)];
}
constexpr std::optional<Profile> parse_profile(std::string_view name) {
  for (std::size_t i = 0; i < kProfileNames.size(); ++i) {
    if (kProfileNames[i] == name) return static_cast<Profile>(i);
  }
  return std::nullopt;
}

}  // namespace slipstream
