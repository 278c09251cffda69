#include "gateway/sampled_watch.h"

#include <gtest/gtest.h>

#include <thread>

namespace slipstream::gateway {
namespace {

contract::Key key(std::uint8_t first, std::uint8_t last = 0) {
  contract::Key key;
  key.bytes[0] = first;
  key.bytes[31] = last;
  return key;
}

TEST(SampledWatch, CountsOnlyWhatRunsBesideItsEqual) {
  SampledWatch watch;
  auto first = watch.enter(key(1));
  EXPECT_FALSE(first.has_twin());
  EXPECT_FALSE(watch.enter(key(2)).has_twin());
  auto second = watch.enter(key(1));
  EXPECT_TRUE(second.has_twin());
  first = {};
  EXPECT_TRUE(watch.enter(key(1)).has_twin()) << "the second still runs";
  second = {};
  EXPECT_FALSE(watch.enter(key(1)).has_twin()) << "nobody is left";

  const auto totals = watch.totals(10);
  EXPECT_EQ(totals.calls, 5U);
  EXPECT_EQ(totals.would_have_saved, 2U);
  ASSERT_EQ(totals.keys.size(), 1U);
  EXPECT_EQ(totals.keys[0].key, key(1));
  EXPECT_EQ(totals.keys[0].saved, 2U);
}

TEST(SampledWatch, AStayEndsOnceHoweverItMoves) {
  SampledWatch watch;
  {
    auto a = watch.enter(key(1));
    auto b = std::move(a);
    a = std::move(b);
    auto other = watch.enter(key(2));
    a = std::move(other);  // the first ends here
    EXPECT_FALSE(watch.enter(key(1)).has_twin());
    EXPECT_TRUE(watch.enter(key(2)).has_twin());
  }
  EXPECT_FALSE(watch.enter(key(2)).has_twin());
}

TEST(SampledWatch, RemembersFewKeysAndTheHeavyOnesAmongThem) {
  SampledWatch watch;
  const auto save = [&watch](const contract::Key& one, int times) {
    const auto holder = watch.enter(one);
    for (int i = 0; i < times; ++i) EXPECT_TRUE(watch.enter(one).has_twin());
  };
  // All in one shard, the heavy one in between strangers that come once.
  for (std::uint8_t i = 1; i < 200; ++i) {
    save(key(i), 1);
    save(key(0), 3);
  }
  const auto totals = watch.totals(3);
  EXPECT_EQ(totals.would_have_saved, 199U * 4);
  ASSERT_EQ(totals.keys.size(), 3U);
  EXPECT_EQ(totals.keys[0].key, key(0));
  EXPECT_EQ(totals.keys[0].saved, 199U * 3);
  EXPECT_LE(totals.keys[1].saved, 1U) << "never more than there was";
}

TEST(SampledWatchConcurrent, SeesOtherThreadsRequests) {
  SampledWatch watch;
  const auto held = watch.enter(key(9));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&watch] {
      for (int i = 0; i < 500; ++i) EXPECT_TRUE(watch.enter(key(9)).has_twin());
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(watch.totals(1).would_have_saved, 2000U);
}

}  // namespace
}  // namespace slipstream::gateway
