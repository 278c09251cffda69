#include "base/random.h"

#include <random>

namespace slipstream {

std::uint64_t system_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) ^ device();
}

}  // namespace slipstream
