// What a tenant may use per minute: requests, and tokens.
//
// Two token buckets that hold one minute's worth. A request is taken before it is served; tokens
// are only known afterwards, so they are charged then and may leave a debt, and nothing is taken
// until that is refilled.
// Any thread; the time is told. A bucket is one atomic, the moment at which it will be full again:
// counts are exact. What is not: requests that run at the same time all start before any is
// charged, so a tenant can overdraw by what it has in flight; and a debt ends after a day at the
// latest.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace slipstream::tenant {

// Holds `per_minute` units and refills evenly; 0 holds any number.
class Bucket {
 public:
  explicit Bucket(std::uint64_t per_minute) : per_minute_(per_minute) {}

  // Takes one unit if there is one, and returns zero; else how long until there is.
  Duration take(Time now);
  // Zero if there is a unit, else how long until there is.
  Duration wait(Time now) const;
  // Takes any number of units, also those that are not there.
  void charge(std::uint64_t units, Time now);

  bool limits() const { return per_minute_ != 0; }

 private:
  std::int64_t cost(std::uint64_t units) const;  // nanoseconds of refilling, at most a day

  const std::uint64_t per_minute_;
  std::atomic<std::int64_t> full_at_{0};  // nanoseconds on the clock of Time
};

class Quota {
 public:
  Quota(std::uint64_t requests_per_minute, std::uint64_t tokens_per_minute)
      : requests_(requests_per_minute), tokens_(tokens_per_minute) {}

  enum class Verdict { kGranted, kNoRequests, kNoTokens };
  struct Answer {
    Verdict verdict = Verdict::kGranted;
    Duration wait{};  // until it is worth asking again
  };
  // Counts one request if it is granted.
  Answer take(Time now);
  void charge_tokens(std::uint64_t tokens, Time now) { tokens_.charge(tokens, now); }
  bool counts_tokens() const { return tokens_.limits(); }

 private:
  Bucket requests_;
  Bucket tokens_;
};

}  // namespace slipstream::tenant
