// The lists of maps of a file (config/records.h), applied after all other layers: a field that was
// not given follows the option that is in force.
#pragma once

#include <optional>
#include <vector>

#include "config/load.h"
#include "config/yaml.h"

namespace slipstream::config {

// The entry belongs to a list of maps, or tries to.
bool is_record_entry(const YamlEntry& entry);

// `entries`: those, in file order. Fills the lists of `loaded.settings` and `field_origins`, or
// says what is wrong.
std::optional<ConfigError> apply_records(const std::vector<YamlEntry>& entries,
                                         const LoadInput& input, Loaded& loaded);

}  // namespace slipstream::config
