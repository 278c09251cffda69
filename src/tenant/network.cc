#include "tenant/network.h"

#include <algorithm>

#include "config/scalar.h"

namespace slipstream::tenant {
namespace {

bool covers(const config::Network& network, const config::Network& host) {
  const auto whole = static_cast<std::size_t>(network.prefix_bits / 8);
  const int rest = network.prefix_bits % 8;
  if (!std::equal(network.address.begin(), network.address.begin() + whole, host.address.begin())) {
    return false;
  }
  return rest == 0 || ((network.address[whole] ^ host.address[whole]) >> (8 - rest)) == 0;
}

}  // namespace

bool is_inside(std::span<const config::Network> networks, std::string_view address) {
  // A zone (fe80::1%eth0) names an interface of this machine, not another address.
  const auto host = config::parse_network(address.substr(0, address.find('%')));
  if (!host || host->prefix_bits != 128) return false;
  return std::any_of(networks.begin(), networks.end(),
                     [&](const config::Network& network) { return covers(network, *host); });
}

}  // namespace slipstream::tenant
