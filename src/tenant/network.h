// Is an address inside the networks of the configuration?
// Pure.
#pragma once

#include <span>
#include <string_view>

#include "config/settings.h"

namespace slipstream::tenant {

// `address`: numeric, IPv4, IPv6 or IPv4-mapped; anything else is inside nothing.
bool is_inside(std::span<const config::Network> networks, std::string_view address);

}  // namespace slipstream::tenant
