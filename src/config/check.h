// Rules between options: each value is fine, together they would not work.
#pragma once

#include <optional>

#include "config/load.h"

namespace slipstream::config {

// The first rule that is broken, naming both options and where they come from.
std::optional<ConfigError> find_conflict(const Loaded& loaded);

}  // namespace slipstream::config
