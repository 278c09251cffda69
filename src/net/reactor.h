// The real event loop: one thread, one io_context, one edge-triggered epoll set.
//
// Sockets are registered once, in our own epoll set; that set is one descriptor of the io_context,
// which keeps what Asio does well: timers, name resolution, signals and posts across threads.
// Waiting for readiness through Asio costs an epoll_ctl per wait; this costs none. Thread rule:
// everything on run()'s thread, except post() and stop().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/owner_thread.h"
#include "net/loop.h"
#include "net/timer_heap.h"

namespace boost::asio {
class io_context;
}

namespace slipstream::net {

// A descriptor in the loop's epoll set. `events` are EPOLLIN, EPOLLOUT, EPOLLRDHUP, ... edges.
class Watched {
 public:
  virtual void on_events(std::uint32_t events) = 0;

 protected:
  ~Watched() = default;
};

class Reactor final : public Loop {
 public:
  explicit Reactor(const Clock& clock);
  ~Reactor() override;

  // Runs until stop(). Returns when no more callbacks will be made.
  void run();
  void stop();  // any thread, idempotent
  // Turns the loop until `done()` holds, which is looked at between turns, or until `limit` has
  // passed; returns whether it held. May be called again and again, and before run(). For tests and
  // tools that take a loop step by step on their own thread.
  bool run_until(const std::function<bool()>& done, Duration limit);

  Time now() const override {
    owner_.check();
    return now_;
  }
  void post(Task task) override;
  void defer(Task task) override {
    owner_.check();
    deferred_.push_back(std::move(task));
  }
  TimerHeap& timers() override {
    owner_.check();
    return timers_;
  }

  // Registers `fd` for all edges. The returned token unregisters; after unwatch() no event of the
  // current batch reaches the object either.
  std::uint64_t watch(int fd, Watched* object);
  void unwatch(int fd, std::uint64_t token);
  bool is_watched(std::uint64_t token) const {
    return slots_[token & 0xffffffffU].generation == static_cast<std::uint32_t>(token >> 32);
  }

  // Calls `handler` with the signal's number on the loop's thread, for SIGTERM and SIGINT.
  void on_signals(std::function<void(int)> handler);
  // For name resolution inside net/ only.
  boost::asio::io_context& context();

  static constexpr std::size_t kEventsPerBatch = 256;

 private:
  struct Shell;  // everything Asio
  struct Slot {
    Watched* object = nullptr;
    std::uint32_t generation = 0;
  };

  void wait_for_events();
  void dispatch_batch();
  void turn(const Task& task);
  void arm_timer();
  void run_deferred();

  const Clock& clock_;
  Time now_;
  OwnerThread owner_;
  TimerHeap timers_;
  std::vector<Task> deferred_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::unique_ptr<Shell> shell_;
};

}  // namespace slipstream::net
