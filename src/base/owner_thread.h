// Which thread an object belongs to, asserted in debug builds.
//
//   OwnerThread owner_;
//   void run() { owner_.bind(); ... }
//   void touch() { owner_.check(); ... }
//
// Unbound (during construction and after the loop has ended) every thread may touch.
// Thread rule: bind() and unbind() by the owner; check() by anybody, that is its point.
#pragma once

#ifdef SLIPSTREAM_CHECK_THREADS
#include <atomic>
#include <thread>

#include "base/check.h"
#endif

namespace slipstream {

#ifdef SLIPSTREAM_CHECK_THREADS

class OwnerThread {
 public:
  void bind() { owner_.store(std::this_thread::get_id(), std::memory_order_relaxed); }
  void unbind() { owner_.store(std::thread::id(), std::memory_order_relaxed); }
  void check() const {
    const std::thread::id owner = owner_.load(std::memory_order_relaxed);
    SLIP_CHECK(owner == std::thread::id() || owner == std::this_thread::get_id());
  }

 private:
  std::atomic<std::thread::id> owner_{};
};

#else

class OwnerThread {
 public:
  void bind() {}
  void unbind() {}
  void check() const {}
};

#endif

}  // namespace slipstream
