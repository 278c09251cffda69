// A whole world in one thread: virtual time, one seeded source of choices, everything that may
// happen next.
//
// Each step picks one of the ready things at random and runs it as one turn of its loop; only when
// nothing is ready does time jump to the next timer or network event. The same seed gives the same
// run: every choice is one draw in a statement of its own, and nothing depends on addresses, on
// unordered containers or on the machine's clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "net/loop.h"
#include "net/timer_heap.h"

namespace slipstream::sim {

class SimWorld;

// The simulated net::Loop. Many share one world.
class SimLoop final : public net::Loop {
 public:
  SimLoop(SimWorld& world, int index) : world_(world), index_(index) {}

  Time now() const override { return now_; }
  void post(net::Task task) override;
  void defer(net::Task task) override { deferred_.push_back(std::move(task)); }
  net::TimerHeap& timers() override { return timers_; }

  // The loop's thread has ended: whatever is left for it never runs.
  void stop() { stopped_ = true; }
  int index() const { return index_; }

 private:
  friend class SimWorld;
  void run_deferred();

  SimWorld& world_;
  const int index_;
  Time now_{};
  bool stopped_ = false;
  net::TimerHeap timers_;
  std::vector<net::Task> deferred_;
};

class SimWorld final : public Clock {
 public:
  enum class Trace { kHashed, kPrinted };
  SimWorld(std::uint64_t seed, Trace trace);
  ~SimWorld() override;

  Time now() const override { return now_; }
  WallTime wall_now() const override;
  long long now_ms() const { return to_ms(now_ - start_); }
  Time start() const { return start_; }

  SimLoop& add_loop();

  // Choices.
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    return least + random_.below(most - least + 1);
  }
  bool chance(std::uint64_t percent) { return percent > 0 && random_.below(100) < percent; }

  // A socket event on `loop`, in a later turn. Several of one loop may share a turn, as in one
  // batch of the real reactor.
  void ready(SimLoop& loop, net::Task task);
  // The same after `delay`.
  void after(Duration delay, SimLoop& loop, net::Task task);

  enum class End { kQuiet, kTooManySteps, kTooLate };
  // Runs until nothing waits any more, not even a timer.
  End run(std::uint64_t steps_max, Duration time_max);
  // Calls `look` whenever nothing is left to do at this moment, before time moves on.
  void set_observer(std::function<void()> look) { observer_ = std::move(look); }
  void set_batching(std::uint64_t percent) { batch_percent_ = percent; }
  // Drops what still waits, so that nothing outlives its owner.
  void clear();

  // Part of the trace: printed when wanted, hashed always.
  void note(std::string_view what, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0);
  void note_bytes(std::string_view bytes);
  std::uint64_t hash() const { return hash_; }
  std::uint64_t steps() const { return steps_; }
  bool printing() const { return trace_ == Trace::kPrinted; }

 private:
  friend class SimLoop;
  enum class Kind { kPost, kSocket };
  struct Ready {
    SimLoop* loop;
    Kind kind;
    net::Task task;
  };

  bool advance(Time limit);
  void step();
  void run_timers(SimLoop& loop);
  void run_ready(std::size_t index);
  Ready take(std::size_t index);

  SeededRandom random_;
  const Trace trace_;
  const Time start_;
  Time now_;
  std::vector<SimLoop*> loops_;
  std::vector<Ready> ready_;
  std::map<std::pair<Time, std::uint64_t>, Ready> later_;
  std::function<void()> observer_;
  std::uint64_t batch_percent_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace slipstream::sim
