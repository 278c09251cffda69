#include "upstream/retry_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "base/random.h"

namespace slipstream::upstream {
namespace {

using Grant = RetryBudget::Grant;
constexpr Time kStart = Time{} + seconds(1000);

int take_all(RetryBudget& budget, Time now) {
  int taken = 0;
  while (budget.take(now) == Grant::kGranted) ++taken;
  return taken;
}

TEST(RetryBudget, StartsWithTenSecondsOfItsFloor) {
  RetryBudget budget({.per_flight = 0.1, .per_second = 1, .tokens_max = 20}, kStart);
  EXPECT_EQ(take_all(budget, kStart), 10);
}

TEST(RetryBudget, StartsNoFullerThanItsCap) {
  RetryBudget budget({.per_flight = 0.1, .per_second = 1, .tokens_max = 4}, kStart);
  EXPECT_EQ(take_all(budget, kStart), 4);
}

TEST(RetryBudget, GrantsAShareOfTheFlights) {
  RetryBudget budget({.per_flight = 0.1, .per_second = 0, .tokens_max = 20}, kStart);
  for (int i = 0; i < 9; ++i) budget.flight_started(kStart);
  EXPECT_EQ(take_all(budget, kStart), 0);
  budget.flight_started(kStart);
  EXPECT_EQ(take_all(budget, kStart), 1) << "ten times a tenth is one, also in binary";
  for (int i = 0; i < 55; ++i) budget.flight_started(kStart);
  EXPECT_EQ(take_all(budget, kStart), 5);
}

TEST(RetryBudget, FloorComesBackByTheSecond) {
  RetryBudget budget({.per_flight = 0, .per_second = 2, .tokens_max = 20}, kStart);
  EXPECT_EQ(take_all(budget, kStart), 20);
  EXPECT_EQ(take_all(budget, kStart + milliseconds(999)), 0);
  EXPECT_EQ(take_all(budget, kStart + seconds(1)), 2);
  EXPECT_EQ(take_all(budget, kStart + seconds(4)), 6);
}

TEST(RetryBudget, CapHolds) {
  RetryBudget budget({.per_flight = 1, .per_second = 1, .tokens_max = 3}, kStart);
  for (int i = 0; i < 100; ++i) budget.flight_started(kStart + milliseconds(i * 40));
  EXPECT_EQ(take_all(budget, kStart + seconds(4)), 3);
}

TEST(RetryBudget, DepositsExpireAfterTenSeconds) {
  RetryBudget budget({.per_flight = 1, .per_second = 0, .tokens_max = 20}, kStart);
  for (int i = 0; i < 5; ++i) budget.flight_started(kStart);
  EXPECT_DOUBLE_EQ(budget.available(kStart + milliseconds(9999)), 5);
  EXPECT_DOUBLE_EQ(budget.available(kStart + seconds(10)), 0);
}

TEST(RetryBudget, WhatExpiresFirstIsSpentFirst) {
  RetryBudget budget({.per_flight = 1, .per_second = 0, .tokens_max = 20}, kStart);
  budget.flight_started(kStart);
  budget.flight_started(kStart + seconds(5));
  EXPECT_EQ(budget.take(kStart + seconds(6)), Grant::kGranted);
  // The older deposit paid: the newer one outlives it.
  EXPECT_DOUBLE_EQ(budget.available(kStart + seconds(11)), 1);
}

TEST(RetryBudget, AfterALongPauseItIsAsGoodAsNew) {
  RetryBudget budget({.per_flight = 0.1, .per_second = 1, .tokens_max = 20}, kStart);
  take_all(budget, kStart);
  EXPECT_EQ(take_all(budget, kStart + std::chrono::hours(1)), 10);
}

// The same in the plainest terms: deposits with their second, oldest first.
class Model {
 public:
  Model(const RetryBudget::Options& options) : options_(options) {
    put(std::min(10 * options.per_second, options.tokens_max));
  }
  void to_second(long long second) {
    if (second - second_ >= 10) {
      deposits_.clear();
      second_ = second;
      return put(std::min(10 * options_.per_second, options_.tokens_max));
    }
    while (second_ < second) {
      ++second_;
      while (!deposits_.empty() && deposits_.front().second <= second_ - 10) deposits_.pop_front();
      put(options_.per_second);
    }
  }
  void flight() { put(options_.per_flight); }
  bool take() {
    if (total() < 1 - 1e-9) return false;
    for (double owed = 1; owed > 1e-12 && !deposits_.empty();) {
      const double paid = std::min(owed, deposits_.front().tokens);
      owed -= paid;
      deposits_.front().tokens -= paid;
      if (deposits_.front().tokens <= 0) deposits_.pop_front();
    }
    return true;
  }
  double total() const {
    double sum = 0;
    for (const Deposit& deposit : deposits_) sum += deposit.tokens;
    return sum;
  }

 private:
  struct Deposit {
    long long second;
    double tokens;
  };
  void put(double tokens) {
    deposits_.push_back({second_, std::min(tokens, options_.tokens_max - total())});
  }
  RetryBudget::Options options_;
  long long second_ = 0;
  std::deque<Deposit> deposits_;
};

TEST(RetryBudget, AgreesWithAModelWhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SeededRandom random(seed);
    // Shares that binary fractions hold exactly, so that both sums are the same number.
    const RetryBudget::Options options{.per_flight = static_cast<double>(random.below(5)) / 8,
                                       .per_second = static_cast<double>(random.below(5)) / 4,
                                       .tokens_max = static_cast<double>(1 + random.below(20))};
    RetryBudget budget(options, kStart);
    Model model(options);
    long long second = 0;
    for (int step = 0; step < 500; ++step) {
      second += static_cast<long long>(random.below(20) == 0 ? random.below(25) : random.below(2));
      const Time now = kStart + seconds(second);
      model.to_second(second);
      ASSERT_NEAR(budget.available(now), model.total(), 1e-6)
          << "seed " << seed << " step " << step;
      if (random.below(2) == 0) {
        budget.flight_started(now);
        model.flight();
      } else {
        ASSERT_EQ(budget.take(now) == Grant::kGranted, model.take()) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace slipstream::upstream
