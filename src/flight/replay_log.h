// The append-only record of what a flight's subscribers are served, in wire form.
//
// One writer (the home worker), any number of readers on any worker, no lock. Bytes live in a chain
// of reference-counted segments; a cursor holds its segment, a segment holds the next one, so
// memory goes when the last reader has passed it and the log has let go of its head
// (release_head()).
//
// Order: the writer copies bytes, then stores the segment's released length (or links the next
// segment), then ends the log. A reader looks at `ended` first, then at `next`, then at the length:
// so what it misses can only be news, never a hole. To sleep without losing a wake-up a reader must
// publish its interest before it reads, and the writer must publish before it reads interests, with
// a full fence between on both sides: Flight does both.
//
// Bounds: bytes of this log are limited by the writer (Flight), bytes of all logs by ReplayBudget.
// Format of the bytes: docs/formats/replay-log.md.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "flight/endings.h"

namespace slipstream::flight {

// Bytes that all logs together may hold. Any thread.
class ReplayBudget {
 public:
  explicit ReplayBudget(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}
  std::uint64_t held() const { return held_.load(std::memory_order_relaxed); }
  bool exhausted() const { return held() >= bytes_max_; }
  void add(std::uint64_t bytes) { held_.fetch_add(bytes, std::memory_order_relaxed); }
  void remove(std::uint64_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  const std::uint64_t bytes_max_;
  std::atomic<std::uint64_t> held_{0};
};

struct Segment;

// A reader's place in the log. Movable; belongs to its reader's thread.
class Cursor {
 public:
  Cursor() = default;
  Cursor(Cursor&& other) noexcept { *this = std::move(other); }
  Cursor& operator=(Cursor&& other) noexcept;
  ~Cursor() { drop(); }

  bool attached() const { return segment_ != nullptr; }
  std::uint64_t position() const { return position_; }  // bytes read so far
  // Fills up to `pieces_max` pieces with what can be read now; returns how many.
  std::size_t peek(iovec* pieces, std::size_t pieces_max) const;
  void advance(std::uint64_t bytes);
  void drop();

 private:
  friend class ReplayLog;
  Segment* segment_ = nullptr;
  std::uint32_t offset_ = 0;
  std::uint64_t position_ = 0;
};

class ReplayLog {
 public:
  // With an empty segment, so that cursors have a place to wait; memory for bytes comes with the
  // first.
  explicit ReplayLog(ReplayBudget& budget);
  ~ReplayLog();
  ReplayLog(const ReplayLog&) = delete;
  ReplayLog& operator=(const ReplayLog&) = delete;

  // Writer. `size_hint`: bytes of the whole answer if known, so that one exact segment holds it.
  void append(std::string_view bytes, std::uint64_t size_hint = 0);
  // Writer: makes everything appended visible to readers.
  void publish();
  // Writer: nothing follows. Publishes first.
  void end(FlightEnding ending);
  // Writer: keeps only what existing cursors still need. Nobody can attach afterwards, so both this
  // and attach() happen under the lock of the flight's table shard (or on the home worker alone).
  void release_head();
  bool head_released() const {
    return head_.load(std::memory_order_relaxed) == nullptr;
  }  // any thread

  // A cursor at byte 0. Precondition: !head_released().
  Cursor attach();

  // Any thread.
  std::uint64_t published() const { return published_.load(std::memory_order_acquire); }
  std::uint64_t appended() const { return appended_.load(std::memory_order_relaxed); }
  bool ended() const { return ended_.load(std::memory_order_acquire); }
  // Precondition: ended().
  FlightEnding ending() const { return ending_; }

 private:
  enum class Fit { kRoomy, kExact };
  Segment* grow(std::uint64_t wanted, Fit fit);

  ReplayBudget& budget_;
  std::atomic<Segment*> head_;  // what joiners start from
  Segment* tail_;                // where the writer is
  std::uint32_t tail_used_ = 0;  // copied into tail_, perhaps not released yet
  std::atomic<std::uint64_t> appended_{0};
  std::atomic<std::uint64_t> published_{0};
  FlightEnding ending_ = FlightEnding::kWhole;
  std::atomic<bool> ended_{false};
};

}  // namespace slipstream::flight
