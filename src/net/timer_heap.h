// The deadlines of one loop, earliest first. Pure: it is told the time.
// Thread rule: the loop's thread only. A callback may set, cancel or create timers, but must not
// destroy the Timer that is calling it (defer that to the loop).
#pragma once

#include <vector>

#include "base/clock.h"
#include "net/loop.h"

namespace slipstream::net {

class TimerHeap {
 public:
  // `on_earlier` is called when the earliest deadline moves to an earlier time than before.
  explicit TimerHeap(Task on_earlier = {}) : on_earlier_(std::move(on_earlier)) {}

  // When run() has to be called next; kNever when there is nothing to wait for. It may be earlier
  // than any true deadline (a deadline that moved later is noticed only then).
  Time next() const { return heap_.empty() ? kNever : heap_.front()->scheduled_; }
  // Calls every timer whose deadline is not after `now`. Returns how many were called. A timer that
  // a callback sets for now or earlier waits for the next run, so that no run is endless.
  std::size_t run(Time now);
  std::size_t size() const { return heap_.size(); }

 private:
  friend class Timer;
  void update(Timer* timer);
  void remove(Timer* timer);
  void place(std::size_t index, Timer* timer);
  void sift_up(std::size_t index);
  void sift_down(std::size_t index);

  std::vector<Timer*> heap_;
  Time earliest_ = Time::min();  // what a callback can be scheduled for; above `now` during run()
  Task on_earlier_;
};

}  // namespace slipstream::net
