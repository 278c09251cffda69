#include "lab/target.h"

#include "config/scalar.h"

namespace slipstream::lab {

std::optional<Target> parse_target(std::string_view url) {
  const auto parsed = config::parse_url(url);
  if (!parsed || parsed->tls) return std::nullopt;
  Target target;
  target.address = {.host = parsed->address.host, .port = std::to_string(parsed->address.port)};
  target.host = config::format_address(parsed->address);
  target.path = parsed->path;
  return target;
}

}  // namespace slipstream::lab
