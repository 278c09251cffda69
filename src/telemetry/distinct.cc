#include "telemetry/distinct.h"

#include <cmath>

namespace slipstream::telemetry {

void Distinct::merge(const Distinct& other) {
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    const std::uint8_t theirs = other.registers_[i].load(std::memory_order_relaxed);
    if (theirs > registers_[i].load(std::memory_order_relaxed)) {
      registers_[i].store(theirs, std::memory_order_relaxed);
    }
  }
}

double Distinct::estimate() const {
  const auto m = static_cast<double>(registers_.size());
  double sum = 0;
  double empty = 0;
  for (const auto& seen : registers_) {
    const int rank = seen.load(std::memory_order_relaxed);
    sum += std::ldexp(1.0, -rank);
    empty += rank == 0;
  }
  const double alpha = 0.7213 / (1 + 1.079 / m);
  const double raw = alpha * m * m / sum;
  // Few things: counting the registers that nothing fell into is more exact.
  return raw <= 2.5 * m && empty > 0 ? m * std::log(m / empty) : raw;
}

}  // namespace slipstream::telemetry
