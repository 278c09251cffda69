// Settings from a file, the process's environment and flags: the reading that config/ leaves to us.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/load.h"

namespace slipstream::cli {

using FlagValues = std::vector<std::pair<std::string, std::string>>;  // option or flag, and value

// Where it stands and what is wrong, as one line.
struct BadSetting {
  config::Source source;
  std::string message;
};

// `file`: path of a YAML file; empty: none.
Result<config::Loaded, BadSetting> load_config(const std::string& file, FlagValues flags);

}  // namespace slipstream::cli
