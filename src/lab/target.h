// Where a load generator's requests go. A value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/stream.h"

namespace slipstream::lab {

struct Target {
  net::Address address;
  std::string host;  // for the Host field
  std::string path;  // prefix, empty or "/x"
};

// Of an http URL; nothing if it is none.
std::optional<Target> parse_target(std::string_view url);

}  // namespace slipstream::lab
