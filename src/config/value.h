// One option's value: text to typed member and back, driven by the option's declaration.
//
// Pure functions. accepted_form() is what error messages and the reference page share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"

namespace slipstream::config {

// Writes `items` (one text; for lists any number) to the option's member.
// False, and the member untouched, if the form or the bounds do not fit.
bool assign(const Option& option, const std::vector<std::string>& items, Settings& settings);

// Text from the environment or a flag to items: lists are separated by commas.
std::vector<std::string> split_items(const Option& option, std::string_view text);

// The member's value as a YAML scalar or flow list that assign() takes back; secrets as "***".
std::string format_value(const Option& option, const Settings& settings);

// "a duration such as 30s, 100ms or 5m, 0s to 24h"
std::string accepted_form(const Option& option);
// "0s to 24h"; empty without bounds.
std::string bounds_text(const Option& option);

}  // namespace slipstream::config
