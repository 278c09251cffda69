// How many retries a worker may grant: a share of the flights it started, plus a small floor.
//
// Deposits are counted when flights start (a base that does not shrink during an outage) and expire
// after ten seconds; a retry is charged when it is scheduled, not when it leaves. Pure: it is told
// the time. Thread rule: one worker.
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.h"

namespace slipstream::upstream {

class RetryBudget {
 public:
  struct Options {
    double per_flight = 0.1;  // retries granted per flight started
    double per_second = 1.0;  // floor
    double tokens_max = 20;
  };
  // Starts with what the floor would have gathered, so that a fresh gateway survives a blip.
  RetryBudget(const Options& options, Time now);

  void flight_started(Time now);
  // Takes one retry, if there is one.
  enum class Grant { kGranted, kRefused };
  Grant take(Time now);
  double available(Time now);

 private:
  static constexpr std::size_t kWindowSeconds = 10;
  void advance(Time now);
  double total() const;

  Options options_;
  Time second_;  // start of the current slot
  std::size_t current_ = 0;
  std::array<double, kWindowSeconds> slots_{};  // unspent deposits by second
};

}  // namespace slipstream::upstream
