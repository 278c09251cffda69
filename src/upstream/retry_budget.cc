#include "upstream/retry_budget.h"

#include <algorithm>
#include <numeric>

namespace slipstream::upstream {

namespace {
constexpr double kOneToken = 1.0 - 1e-9;  // ten deposits of a tenth are one retry
}

RetryBudget::RetryBudget(const Options& options, Time now) : options_(options), second_(now) {
  slots_[current_] = std::min(options.per_second * kWindowSeconds, options.tokens_max);
}

double RetryBudget::total() const {
  return std::accumulate(slots_.begin(), slots_.end(), 0.0);
}

void RetryBudget::advance(Time now) {
  if (now - second_ >= seconds(kWindowSeconds)) {
    slots_.fill(0);
    second_ = now;
    slots_[current_] = std::min(options_.per_second * kWindowSeconds, options_.tokens_max);
    return;
  }
  while (now - second_ >= seconds(1)) {
    second_ += seconds(1);
    current_ = (current_ + 1) % kWindowSeconds;
    slots_[current_] = 0;
    slots_[current_] = std::min(options_.per_second, options_.tokens_max - total());
  }
}

void RetryBudget::flight_started(Time now) {
  advance(now);
  slots_[current_] += std::min(options_.per_flight, std::max(0.0, options_.tokens_max - total()));
}

RetryBudget::Grant RetryBudget::take(Time now) {
  advance(now);
  if (total() < kOneToken) return Grant::kRefused;
  double owed = 1.0;
  // Oldest first: what would expire soonest is spent first.
  for (std::size_t i = 1; i <= kWindowSeconds && owed > 0; ++i) {
    double& slot = slots_[(current_ + i) % kWindowSeconds];
    const double paid = std::min(slot, owed);
    slot -= paid;
    owed -= paid;
  }
  return Grant::kGranted;
}

double RetryBudget::available(Time now) {
  advance(now);
  return total();
}

}  // namespace slipstream::upstream
