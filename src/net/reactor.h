// The real event loop: one thread, one edge-triggered epoll set, one wait per turn.
//
// A turn waits for sockets, the earliest deadline and the mailbox in a single epoll_wait, then
// calls whoever has news. What may block or comes from outside (names, signals) is left to Asio on
// a thread of its own, started when first needed, which answers through the mailbox. Thread rule:
// everything on run()'s thread, except post() and stop().
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
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
  // For name resolution inside net/ only. Its handlers run on another thread: post() what they
  // found.
  boost::asio::io_context& outside_context();

  static constexpr std::size_t kEventsPerBatch = 256;

 private:
  class Outside;  // everything Asio
  struct Slot {
    Watched* object = nullptr;
    std::uint32_t generation = 0;
  };

  Outside& outside();
  // One wait, not beyond `until`, and everything that is due after it.
  void turn(Time until);
  int wait(Time until);
  void dispatch(const epoll_event& event);
  void take_mail();
  void wake();
  void run_deferred();

  const Clock& clock_;
  Time now_;
  OwnerThread owner_;
  TimerHeap timers_;
  std::vector<Task> deferred_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::array<epoll_event, kEventsPerBatch> batch_{};
  int epoll_fd_;
  int wake_fd_;  // in the set; written when the mailbox stops being empty
  std::atomic<bool> stopped_{false};
  std::mutex mailbox_mutex_;
  std::vector<Task> mailbox_;
  std::vector<Task> mail_;  // what the running turn took from the mailbox
  std::unique_ptr<Outside> outside_;
};

}  // namespace slipstream::net
