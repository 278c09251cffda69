#include "telemetry/distinct.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace slipstream::telemetry {
namespace {

TEST(Distinct, CountsFewExactlyAndManyWithinItsError) {
  SeededRandom random(7);
  Distinct seen;
  EXPECT_EQ(seen.estimate(), 0.0);
  std::uint64_t noted = 0;
  for (const std::uint64_t target : {1ULL, 10ULL, 100ULL, 5'000ULL, 20'000ULL, 300'000ULL}) {
    for (; noted < target; ++noted) seen.note(random.next());
    const auto expected = static_cast<double>(target);
    EXPECT_NEAR(seen.estimate(), expected, std::max(0.5, expected * 0.05)) << target;
  }
}

TEST(Distinct, SeeingAgainChangesNothing) {
  SeededRandom random(8);
  Distinct seen;
  std::uint64_t hash = random.next();
  seen.note(hash);
  const double once = seen.estimate();
  for (int i = 0; i < 1000; ++i) seen.note(hash);
  EXPECT_EQ(seen.estimate(), once);
}

TEST(Distinct, WorkersTogetherCountWhatEachSawOnce) {
  SeededRandom random(9);
  Distinct all, a, b;
  for (int i = 0; i < 30'000; ++i) {
    const std::uint64_t hash = random.next();
    all.note(hash);
    if (i % 3 != 0) a.note(hash);
    if (i % 3 != 1) b.note(hash);
  }
  a.merge(b);
  EXPECT_EQ(a.estimate(), all.estimate());
}

}  // namespace
}  // namespace slipstream::telemetry
