// What an operator is told about a configuration that is not accepted.
//
// Pure. A message quotes what was written in the file, never what a ${VARIABLE} held, and never a
// secret.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "config/options.h"

namespace slipstream::config {

// Shortened, in backquotes, without control characters.
std::string shown(const std::vector<std::string>& items);

ConfigError fault_at(ConfigFault kind, const std::string& place, const std::string& message);
// `name`: the option as the operator wrote it, `written`: the value, as shown() gives it.
ConfigError bad_value(const Option& option, std::string_view name, const std::string& place,
                      std::string written);
// `near` may be empty.
ConfigError unknown_option(const std::string& place, const std::string& name,
                           std::string_view near);

}  // namespace slipstream::config
