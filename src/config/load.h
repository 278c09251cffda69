// From text to Settings: defaults < file < environment < flags.
//
// Pure: file contents, environment and flags come in, nothing is read here. What is not understood
// is refused with its place, never skipped.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/settings.h"

namespace slipstream::config {

struct LoadInput {
  std::string yaml_text;  // empty: no file
  std::string yaml_name;  // for messages and origins
  // The environment; nothing for a variable that is not set. Empty function: no environment.
  std::function<std::optional<std::string>(std::string_view)> environment;
  // Option name (`coalesce.grace_max`) or flag (`--grace-max`), and value; later pairs win.
  std::vector<std::pair<std::string, std::string>> flags;
};

// Closed set.
enum class ConfigFault {
  kSyntax,  // the file is not the YAML that is accepted
  kUnknownOption,
  kDuplicate,        // an option stands twice in the file
  kBadValue,         // wrong type or out of bounds
  kMissingVariable,  // ${NAME} is not set
  kConflict,         // each value is fine, together they are not
};

// Where a value came from; later layers win.
enum class Source { kDefault, kFile, kEnvironment, kFlag };

struct ConfigError {
  ConfigFault fault = ConfigFault::kSyntax;
  // One sentence for the operator: place, option, accepted form. Never shows a secret.
  std::string message;
  // The layer at fault; of a conflict, the latest that takes part.
  Source source = Source::kDefault;
};

struct Origin {
  Source source = Source::kDefault;
  std::string place;  // `slipstream.yaml:12`, the variable's name, or the flag
};

// "default", "from slipstream.yaml:12", "from the environment, SLIPSTREAM_LISTEN", "from --listen".
std::string describe(const Origin& origin);

struct Loaded {
  Settings settings;
  // One per declaration, in the order of options().
  std::vector<Origin> origins;
  // Of the fields of records that were given, by path: `tenants[0].name`.
  std::map<std::string, Origin, std::less<>> field_origins;
};

Result<Loaded, ConfigError> load(const LoadInput& input);

// Precondition: `option_name` is declared (aborts otherwise).
const Origin& origin_of(const Loaded& loaded, std::string_view option_name);

// Every option in force as YAML that load() accepts, each with where it came from; secrets as
// `***`.
std::string print_config(const Loaded& loaded);

// The reference page (docs/configuration.md), from the declarations.
std::string reference_markdown();

}  // namespace slipstream::config
