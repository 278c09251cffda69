#include "base/memory.h"

#include "gtest/gtest.h"

namespace slipstream {
namespace {

TEST(BurstWatch, SeesTheEndOfABurstOnce) {
  BurstWatch watch;
  EXPECT_FALSE(watch.is_over(10));
  EXPECT_FALSE(watch.is_over(2000));
  EXPECT_FALSE(watch.is_over(600));
  EXPECT_TRUE(watch.is_over(400));
  EXPECT_FALSE(watch.is_over(0));
  EXPECT_FALSE(watch.is_over(300));
}

}  // namespace
}  // namespace slipstream
