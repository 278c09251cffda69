#include "net/timer_heap.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "base/random.h"

namespace slipstream::net {
namespace {

class FakeLoop final : public Loop {
 public:
  Time now() const override { return Time{}; }
  void post(Task) override {}
  void defer(Task) override {}
  TimerHeap& timers() override { return heap; }
  int earlier_calls = 0;
  TimerHeap heap{[this] { ++earlier_calls; }};
};

Time at(long long ms) {
  return Time{} + milliseconds(ms);
}

TEST(TimerHeap, RandomOperationsMatchAMultimap) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SeededRandom random(seed);
    FakeLoop loop;
    std::vector<Time> wanted(40, kNever);
    std::vector<int> fired;
    std::vector<std::unique_ptr<Timer>> timers;
    for (int i = 0; i < 40; ++i)
      timers.push_back(std::make_unique<Timer>(loop, [&fired, i] { fired.push_back(i); }));
    Time now = at(0);
    for (int step = 0; step < 2000; ++step) {
      const std::size_t which = random.below(timers.size());
      const std::uint64_t what = random.below(10);
      if (what < 6) {
        wanted[which] = now + milliseconds(1 + static_cast<long long>(random.below(50)));
        timers[which]->set(wanted[which]);
      } else if (what < 7) {
        wanted[which] = kNever;
        timers[which]->cancel();
      } else if (what < 8) {
        wanted[which] = kNever;
        timers[which]->set(kNever);
      } else {
        now += milliseconds(static_cast<long long>(random.below(20)));
        std::multimap<Time, int> due;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
          if (wanted[i] > now) continue;
          due.emplace(wanted[i], static_cast<int>(i));
          wanted[i] = kNever;
        }
        fired.clear();
        EXPECT_EQ(loop.heap.run(now), due.size());
        std::multimap<Time, int> found;
        ASSERT_EQ(fired.size(), due.size());
        std::vector<int> expected;
        for (const auto& [time, index] : due) expected.push_back(index);
        EXPECT_TRUE(std::is_permutation(fired.begin(), fired.end(), expected.begin()));
      }
      Time earliest = kNever;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        earliest = std::min(earliest, wanted[i]);
        EXPECT_EQ(timers[i]->deadline(), wanted[i]);
      }
      EXPECT_LE(loop.heap.next(), earliest) << "never sleeps past a deadline";
    }
  }
}

TEST(TimerHeap, FiresInOrder) {
  FakeLoop loop;
  std::string order;
  Timer late(loop, [&] { order += 'l'; });
  Timer early(loop, [&] { order += 'e'; });
  late.set(at(9));
  early.set(at(3));
  EXPECT_EQ(loop.heap.run(at(2)), 0U);
  EXPECT_EQ(loop.heap.run(at(9)), 2U);
  EXPECT_EQ(order, "el");
  EXPECT_EQ(loop.heap.next(), kNever);
}

TEST(TimerHeap, MovingLaterTouchesTheHeapOnlyWhenItWouldFire) {
  FakeLoop loop;
  int fired = 0;
  Timer timer(loop, [&] { ++fired; });
  timer.set(at(10));
  timer.set(at(500));
  EXPECT_EQ(loop.heap.next(), at(10));
  EXPECT_EQ(loop.heap.run(at(10)), 0U);
  EXPECT_EQ(loop.heap.next(), at(500));
  EXPECT_EQ(loop.earlier_calls, 2);
  loop.heap.run(at(500));
  EXPECT_EQ(fired, 1);
}

TEST(TimerHeap, CallbackMayCancelAndDestroyOthers) {
  FakeLoop loop;
  int fired = 0;
  auto victim = std::make_unique<Timer>(loop, [&] { ++fired; });
  Timer other(loop, [&] { ++fired; });
  Timer killer(loop, [&] {
    victim.reset();
    other.cancel();
  });
  killer.set(at(1));
  victim->set(at(2));
  other.set(at(2));
  EXPECT_EQ(loop.heap.run(at(5)), 1U);
  EXPECT_EQ(fired, 0);
  EXPECT_EQ(loop.heap.size(), 0U);
}

TEST(TimerHeap, SettingForNowFromInsideWaitsForTheNextRun) {
  FakeLoop loop;
  int fired = 0;
  Timer* self = nullptr;
  Timer timer(loop, [&] {
    ++fired;
    self->set(at(5));
  });
  self = &timer;
  timer.set(at(5));
  EXPECT_EQ(loop.heap.run(at(5)), 1U);
  EXPECT_EQ(fired, 1);
  EXPECT_EQ(loop.heap.run(at(6)), 1U);
}

}  // namespace
}  // namespace slipstream::net
