#include "net/reactor.h"

#include <sys/eventfd.h>

#include <csignal>
#include <thread>

#include "net/loop_harness.h"

namespace slipstream::net {
namespace {

TEST(ReactorTest, RunsPostedTasksInOrderAndStops) {
  SystemClock clock;
  Reactor reactor(clock);
  std::string order;
  reactor.post([&] {
    order += 'a';
    reactor.defer([&] {
      order += 'd';
      reactor.defer([&] { order += 'e'; });
    });
    order += 'b';
  });
  reactor.post([&] {
    order += 'c';
    reactor.stop();
  });
  reactor.run();
  EXPECT_EQ(order, "abdec") << "deferred work runs after its turn, before the next";
}

TEST(ReactorTest, DeferredBeforeTheEndStillRuns) {
  SystemClock clock;
  bool ran = false;
  {
    Reactor reactor(clock);
    reactor.defer([&] { ran = true; });
  }
  EXPECT_TRUE(ran);
}

TEST(ReactorTest, TimersFireNotBeforeTheirTime) {
  LoopHarness loop;
  Time fired_at{};
  Timer timer(loop.reactor, [&] { fired_at = loop.reactor.now(); });
  const Time due = loop.clock.now() + milliseconds(20);
  timer.set(due + seconds(50));
  timer.set(due);
  ASSERT_TRUE(loop.run_until([&] { return fired_at != Time{}; }));
  EXPECT_GE(fired_at, due);
}

TEST(ReactorTest, TimerThatSetsItselfForNowLetsOthersRun) {
  LoopHarness loop;
  bool posted = false;
  Timer* self = nullptr;
  Timer greedy(loop.reactor, [&] { self->set(loop.reactor.now()); });
  self = &greedy;
  greedy.set(loop.reactor.now());
  loop.reactor.post([&] { posted = true; });
  EXPECT_TRUE(loop.run_until([&] { return posted; }));
}

class Event final : public Watched {
 public:
  Event(Reactor& reactor, std::function<void()> then)
      : fd(eventfd(0, EFD_NONBLOCK)),
        token(reactor.watch(fd, this)),
        reactor_(reactor),
        then_(std::move(then)) {}
  ~Event() { drop(); }
  void on_events(std::uint32_t) override {
    ++calls;
    then_();
  }
  void raise() const { EXPECT_EQ(eventfd_write(fd, 1), 0); }
  void drop() {
    if (fd < 0) return;
    reactor_.unwatch(fd, token);
    close(std::exchange(fd, -1));
  }
  int fd;
  std::uint64_t token;
  int calls = 0;

 private:
  Reactor& reactor_;
  std::function<void()> then_;
};

TEST(ReactorTest, UnwatchedInTheSameBatchHearsNothing) {
  LoopHarness loop;
  std::unique_ptr<Event> a, b;
  int total = 0;
  a = std::make_unique<Event>(loop.reactor, [&] { ++total, b->drop(); });
  b = std::make_unique<Event>(loop.reactor, [&] { ++total, a->drop(); });
  // Both are ready (writable) in the first batch: whoever comes first silences the other.
  ASSERT_TRUE(loop.run_until([&] { return total > 0; }));
  loop.drain();
  EXPECT_EQ(total, 1);
}

TEST(ReactorTest, ReusedSlotDoesNotInheritEvents) {
  LoopHarness loop;
  Event first(loop.reactor, [] {});
  const std::uint64_t token = first.token;
  first.drop();
  EXPECT_FALSE(loop.reactor.is_watched(token));
  Event second(loop.reactor, [] {});
  EXPECT_NE(second.token, token);
  EXPECT_TRUE(loop.reactor.is_watched(second.token));
}

TEST(ReactorTest, MoreEventsThanABatchAllArrive) {
  LoopHarness loop;
  int total = 0;
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 600; ++i)
    events.push_back(std::make_unique<Event>(loop.reactor, [&] { ++total; }));
  EXPECT_TRUE(loop.run_until([&] { return total >= 600; }));
}

TEST(ReactorTest, SignalReachesTheHandler) {
  LoopHarness loop;
  int number = 0;
  loop.reactor.on_signals([&](int caught) { number = caught; });
  std::raise(SIGTERM);
  EXPECT_TRUE(loop.run_until([&] { return number == SIGTERM; }));
}

TEST(ReactorConcurrent, PostsFromOtherThreadsAllRun) {
  SystemClock clock;
  Reactor reactor(clock);
  int seen = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        reactor.post([&] {
          if (++seen == 3000) reactor.stop();
        });
      }
    });
  }
  reactor.run();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen, 3000);
}

}  // namespace
}  // namespace slipstream::net
