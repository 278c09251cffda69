// The one declaration of every option. Loading, --print-config, the flags and the reference page
// are all driven by this table; an option that is not in it does not exist.
//
// Immutable after first use, so any thread may read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings.h"

namespace slipstream::config {

enum class Type {
  kBool,
  kInteger,
  kSize,      // bytes: 16MiB, 64KB
  kDuration,  // 30s, 100ms, 5m
  kString,
  kHeaderName,
  kList,  // of texts; of `choices` if there are some
  kEnum,  // one of `choices`
  kAddress,
  kUrl,
  kSecret,
  kSecretList,
  kNetworkList,
};
bool is_list(Type type);
// Never shown.
bool is_secret(Type type);

enum class Reload { kYes, kNo };

// The member of Settings that an option fills.
using Target = std::variant<bool*, std::uint64_t*, Milliseconds*, std::string*,
                            std::vector<std::string>*, Sampled*, LogLevel*, LogFormat*,
                            std::optional<Profile>*, Address*, std::optional<Address>*, Url*,
                            Secret*, UnknownKey*, std::vector<Secret>*, std::vector<Network>*>;

struct Bounds {
  // In bytes, milliseconds, or plain numbers; for texts, secrets and lists the length.
  std::uint64_t min = 0;
  std::uint64_t max = UINT64_MAX;
};

struct Option {
  std::string_view name;  // dotted path in the file, equal to the member's path in Settings
  Target (*target)(Settings&);
  std::string_view flag;  // empty: only by file, environment and --set
  Type type;
  std::string_view default_text;
  Bounds bounds;
  Reload reload;
  std::string_view effect;  // one sentence
  // kEnum: in the order of the C++ enum (an optional one: after its word for none). kList: the
  // texts that are accepted.
  std::vector<std::string_view> choices = {};
};

// Grouped by section, in the order in which pages show them.
const std::vector<Option>& options();

// By name or by flag; null if there is none.
const Option* find_option(std::string_view name_or_flag);

// `coalesce.grace_max` -> `SLIPSTREAM_COALESCE_GRACE_MAX`.
std::string environment_name(const Option& option);

}  // namespace slipstream::config
