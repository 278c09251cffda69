// A worker's event loop as the rest of the program sees it: time, timers, posted work.
//
// One thread runs one loop. Everything except post() and stop() is for that thread only.
// The real loop is net/reactor.h, the simulated one tests/sim/sim_loop.h.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "base/clock.h"

namespace slipstream::net {

using Task = std::function<void()>;

class Loop;

// A deadline that can be moved cheaply. Moving it later costs a store; the heap is touched only
// when it moves earlier or fires. Destroying or cancelling it guarantees that no call follows.
// Belongs to the loop's thread. Must not outlive the loop.
class Timer {
 public:
  Timer(Loop& loop, Task on_expired) : loop_(loop), on_expired_(std::move(on_expired)) {}
  ~Timer() { cancel(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void set(Time at);  // replaces any earlier deadline; kNever cancels lazily
  void cancel();
  Time deadline() const { return deadline_; }

 private:
  friend class TimerHeap;
  Loop& loop_;
  Task on_expired_;
  Time deadline_ = kNever;   // what the owner wants
  Time scheduled_ = kNever;  // what the heap knows; while queued never later, or due at once
  std::size_t heap_index_ = kNotQueued;
  static constexpr std::size_t kNotQueued = static_cast<std::size_t>(-1);
};

class TimerHeap;

class Loop {
 public:
  virtual ~Loop() = default;

  // Time at the start of the current turn: cheap, constant within a turn.
  virtual Time now() const = 0;
  // Runs `task` on this loop in a later turn. Any thread.
  virtual void post(Task task) = 0;
  // Runs `task` after the current batch of callbacks, on this thread: the way to destroy an object
  // from inside its own callback.
  virtual void defer(Task task) = 0;
  virtual TimerHeap& timers() = 0;
};

}  // namespace slipstream::net
