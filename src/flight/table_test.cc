#include "flight/table.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/random.h"
#include "flight/fake_flight.h"

namespace slipstream::flight {
namespace {

constexpr Duration kAnyAge = seconds(1000);

class Table : public testing::Test {
 protected:
  boost::intrusive_ptr<FakeFlight> spare(char key = 'k') {
    return make_flight(budget_, nullptr, 0, key, now_);
  }
  int fail(Flight& flight) {
    return table_.change(flight, [](Core& core) { return core.fail(), 0; });
  }

  Time now_ = Time{} + seconds(1000);
  ReplayBudget budget_{1 << 30};
  FlightTable table_{[] {
    Bounds bounds;
    bounds.subscribers_max = 2;
    bounds.join_window_age = seconds(10);
    bounds.join_window_bytes = 100;
    return bounds;
  }()};
};

TEST_F(Table, SecondCallerJoinsTheFirstFromByteZero) {
  const auto first = spare();
  const auto opened = table_.enter(first, now_, kAnyAge);
  EXPECT_TRUE(opened.opened);
  EXPECT_TRUE(first->shared());
  first->publish("abc");
  const auto unused = spare();
  auto joined = table_.enter(unused, now_, kAnyAge);
  EXPECT_FALSE(joined.opened);
  EXPECT_EQ(joined.flight, first);
  EXPECT_EQ(read_some(joined.cursor), "abc");
  EXPECT_FALSE(unused->shared()) << "the spare is left untouched";
  EXPECT_EQ(table_.size(), 1U);
}

TEST_F(Table, OtherKeyOpensItsOwn) {
  EXPECT_TRUE(table_.enter(spare('a'), now_, kAnyAge).opened);
  EXPECT_TRUE(table_.enter(spare('b'), now_, kAnyAge).opened);
  EXPECT_EQ(table_.size(), 2U);
}

TEST_F(Table, RefusalsOpenANewFlightAndSayWhy) {
  const auto full = spare('f');
  table_.enter(full, now_, kAnyAge);
  table_.enter(spare('f'), now_, kAnyAge);
  EXPECT_EQ(table_.enter(spare('f'), now_, kAnyAge).refusal, JoinRefusal::kFull);

  table_.enter(spare('o'), now_, kAnyAge);
  now_ += seconds(10);
  EXPECT_EQ(table_.enter(spare('o'), now_, kAnyAge).refusal, JoinRefusal::kNone);
  now_ += Duration(1);
  EXPECT_EQ(table_.enter(spare('o'), now_, kAnyAge).refusal, JoinRefusal::kWindowClosed);

  table_.enter(spare('y'), now_, kAnyAge);
  now_ += seconds(2);
  EXPECT_EQ(table_.enter(spare('y'), now_, seconds(1)).refusal, JoinRefusal::kTooOldForCaller);

  const auto large = spare('l');
  table_.enter(large, now_, kAnyAge);
  large->publish(std::string(101, 'x'));
  const auto entry = table_.enter(spare('l'), now_, kAnyAge);
  EXPECT_EQ(entry.refusal, JoinRefusal::kWindowClosed);
  EXPECT_TRUE(entry.opened);
}

TEST_F(Table, H11_OldFlightEndingLeavesNewerOneInTable) {
  const auto old = spare();
  table_.enter(old, now_, kAnyAge);
  now_ += seconds(11);
  const auto newer = spare();
  EXPECT_TRUE(table_.enter(newer, now_, kAnyAge).opened);
  fail(*old);
  EXPECT_EQ(table_.size(), 1U);
  EXPECT_EQ(table_.enter(spare(), now_, kAnyAge).flight, newer);
}

TEST_F(Table, ReplacedFlightKeepsOnlyWhatItsReadersNeedAndHasNoGrace) {
  const auto old = spare();
  auto entry = table_.enter(old, now_, kAnyAge);
  old->publish("abc");
  now_ += seconds(11);
  table_.enter(spare(), now_, kAnyAge);
  EXPECT_TRUE(old->log().head_released());
  EXPECT_EQ(read_some(entry.cursor), "abc");
  EXPECT_EQ(table_.leave(*old, now_), Core::OnLeave::kAbandon);
}

TEST_F(Table, TerminalFlightLeavesTheTableInTheSameStep) {
  const auto flight = spare();
  table_.enter(flight, now_, kAnyAge);
  fail(*flight);
  EXPECT_EQ(table_.size(), 0U);
  fail(*flight);  // again: nothing to remove
  EXPECT_TRUE(table_.enter(spare(), now_, kAnyAge).opened);
}

TEST_F(Table, AbandonedFlightLeavesTheTableInTheSameStep) {
  const auto flight = spare();
  table_.enter(flight, now_, kAnyAge);
  EXPECT_EQ(table_.leave(*flight, now_), Core::OnLeave::kAbandon) << "no age, no grace";
  EXPECT_EQ(table_.size(), 0U);
}

TEST_F(Table, ClosedFlightIsOutOfTheTableAndLivesOn) {
  const auto flight = spare();
  auto entry = table_.enter(flight, now_, kAnyAge);
  table_.close_to_joiners(*flight);
  EXPECT_EQ(table_.size(), 0U);
  EXPECT_TRUE(flight->log().head_released());
  EXPECT_TRUE(table_.enter(spare(), now_, kAnyAge).opened);
  flight->publish("x");
  EXPECT_EQ(read_some(entry.cursor), "x");
}

TEST_F(Table, AloneIsNeverInTheTable) {
  const auto flight = spare();
  const std::uint64_t before = budget_.held();
  Cursor cursor = table_.enter_alone(*flight);
  EXPECT_EQ(table_.size(), 0U);
  EXPECT_FALSE(flight->shared());
  for (int i = 0; i < 100; ++i) {
    flight->publish(std::string(10'000, 'x'));
    EXPECT_EQ(read_some(cursor).size(), 10'000U);
  }
  EXPECT_LE(budget_.held(), before + 128 * 1024) << "what was read is let go";
  now_ += seconds(100);
  EXPECT_EQ(table_.leave(*flight, now_), Core::OnLeave::kAbandon) << "nobody could join in grace";
}

TEST_F(Table, ForEachVisitsWhatIsThere) {
  table_.enter(spare('a'), now_, kAnyAge);
  table_.enter(spare('b'), now_, kAnyAge);
  std::string keys;
  table_.for_each([&](const Flight& flight, const Core& core) {
    EXPECT_EQ(core.subscribers(), 1U);
    keys += flight.canonical();
  });
  EXPECT_EQ(keys.size(), 2U);
  EXPECT_NE(keys.find('a'), std::string::npos);
  EXPECT_NE(keys.find('b'), std::string::npos);
}

TEST(TableConcurrent, JoinsLeavesAndEndingsBalance) {
  ReplayBudget budget(1 << 30);
  Bounds bounds;
  bounds.grace_percent = 0;
  {
    FlightTable table(bounds);
    std::atomic<int> opened{0};
    std::atomic<int> cancelled{0};
    std::vector<std::thread> workers;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      workers.emplace_back([&, seed] {
        SeededRandom random(seed);
        for (int i = 0; i < 3000; ++i) {
          const Time now = Time{} + seconds(1);
          const char key = static_cast<char>('a' + random.below(3));
          const auto spare = make_flight(budget, nullptr, 0, key, now);
          auto entry = table.enter(spare, now, kAnyAge);
          opened += entry.opened ? 1 : 0;
          if (random.below(8) == 0) table.close_to_joiners(*entry.flight);
          EXPECT_EQ(entry.flight->canonical()[0], key);
          cancelled += table.leave(*entry.flight, now) == Core::OnLeave::kAbandon ? 1 : 0;
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
    EXPECT_EQ(opened, cancelled) << "each flight is abandoned once, by its last subscriber";
    EXPECT_EQ(table.size(), 0U);
  }
  EXPECT_EQ(budget.held(), 0U);
}

}  // namespace
}  // namespace slipstream::flight
