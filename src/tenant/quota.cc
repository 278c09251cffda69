#include "tenant/quota.h"

#include <algorithm>

namespace slipstream::tenant {
namespace {

constexpr std::int64_t kMinute = 60'000'000'000;
constexpr std::int64_t kDebtMax = 24 * 60 * kMinute;

std::int64_t nanoseconds_of(Time time) {
  return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

Duration duration_of(std::int64_t nanoseconds) {
  return std::chrono::nanoseconds(std::max<std::int64_t>(nanoseconds, 0));
}

}  // namespace

std::int64_t Bucket::cost(std::uint64_t units) const {
  const unsigned __int128 exact =
      static_cast<unsigned __int128>(units) * kMinute / std::max<std::uint64_t>(per_minute_, 1);
  return static_cast<std::int64_t>(std::min<unsigned __int128>(exact, kDebtMax));
}

Duration Bucket::take(Time now) {
  if (!limits()) return Duration::zero();
  const std::int64_t at = nanoseconds_of(now);
  std::int64_t seen = full_at_.load(std::memory_order_relaxed);
  for (;;) {
    const std::int64_t after = std::max(seen, at) + cost(1);
    if (after - at > kMinute) return duration_of(after - at - kMinute);
    if (full_at_.compare_exchange_weak(seen, after, std::memory_order_relaxed)) {
      return Duration::zero();
    }
  }
}

Duration Bucket::wait(Time now) const {
  if (!limits()) return Duration::zero();
  const std::int64_t at = nanoseconds_of(now);
  const std::int64_t full_at = std::max(full_at_.load(std::memory_order_relaxed), at);
  return duration_of(full_at + cost(1) - at - kMinute);
}

void Bucket::charge(std::uint64_t units, Time now) {
  if (!limits() || units == 0) return;
  const std::int64_t at = nanoseconds_of(now);
  std::int64_t seen = full_at_.load(std::memory_order_relaxed);
  std::int64_t after = 0;
  do {
    after = std::min(std::max(seen, at) + cost(units), std::max(seen, at + kDebtMax));
  } while (!full_at_.compare_exchange_weak(seen, after, std::memory_order_relaxed));
}

Quota::Answer Quota::take(Time now) {
  // Looked at first, as nothing is taken by it: a refused request costs nothing.
  const Duration tokens_in = tokens_.wait(now);
  if (tokens_in > Duration::zero()) return {Verdict::kNoTokens, tokens_in};
  const Duration request_in = requests_.take(now);
  if (request_in > Duration::zero()) return {Verdict::kNoRequests, request_in};
  return {};
}

}  // namespace slipstream::tenant
