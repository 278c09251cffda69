// ${NAME} in the values of a configuration file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace slipstream::config {

using Environment = std::function<std::optional<std::string>(std::string_view)>;

// Replaces every ${NAME} by the variable's text, once: what it holds is not looked at again.
// `$${` stands for a literal `${`. Fails with one sentence if a variable is not set or the braces
// are not a name; an empty `environment` has no variables.
Result<std::string, std::string> substitute(std::string_view text, const Environment& environment);

// The same for each of `texts`.
Result<std::vector<std::string>, std::string> substitute_all(const std::vector<std::string>& texts,
                                                             const Environment& environment);

}  // namespace slipstream::config
