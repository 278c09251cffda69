// Which flight carries which key: joining, opening, leaving and ending, each one step under a lock.
//
// 64 shards by key; O(1) under a shard's lock, no I/O and no callback to callers of ours there.
// Invariant: at most one live joinable flight per key. Leaving the table is by identity: an old
// flight that ends never removes a newer one of the same key. Thread rule: any thread.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>

#include "flight/flight.h"

namespace slipstream::flight {

struct DigestHash {
  std::size_t operator()(const Digest& digest) const noexcept {
    std::size_t value;
    static_assert(sizeof value <= sizeof digest);
    __builtin_memcpy(&value, digest.data(), sizeof value);
    return value;
  }
};

class FlightTable {
 public:
  explicit FlightTable(const Bounds& bounds) : bounds_(bounds) {}
  ~FlightTable();

  struct Entry {
    FlightRef flight;
    Cursor cursor;                             // at byte 0
    bool opened = false;                       // `spare` was used: the caller leads
    JoinRefusal refusal = JoinRefusal::kNone;  // why the flight found could not be joined
  };
  // Joins the live flight of `spare`'s key, or opens `spare` under it. `spare` is left untouched
  // when an older flight was joined. The caller must compare canonical() after a join and leave()
  // on a mismatch.
  Entry enter(const FlightRef& spare, Time now, Duration max_age);
  // A flight outside the table: one subscriber, its log keeps only what that one has not read.
  Cursor enter_alone(Flight& flight);

  // One subscriber less.
  Core::OnLeave leave(Flight& flight, Time now);
  // Runs `step(core)` as one step with leaving the table if it made the flight terminal.
  template <typename Step>
  auto change(Flight& flight, Step step);
  // Nobody joins any more; memory behind the slowest reader is let go.
  void close_to_joiners(Flight& flight);

  // Calls `visit(flight, core)` for every flight, shard by shard, under that shard's lock. For
  // /flights and the gauges: O(n), keep `visit` short.
  void for_each(const std::function<void(const Flight&, const Core&)>& visit) const;
  std::size_t size() const;
  const Bounds& bounds() const { return bounds_; }

 private:
  static constexpr std::size_t kShards = 64;
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    boost::unordered_flat_map<Digest, FlightRef, DigestHash> flights;
  };

  Shard& shard_of(const Flight& flight) { return shards_[flight.key()[31] % kShards]; }
  void remove_locked(Shard& shard, Flight& flight, FlightRef& removed);

  const Bounds bounds_;
  std::array<Shard, kShards> shards_;
};

template <typename Step>
auto FlightTable::change(Flight& flight, Step step) {
  FlightRef removed;  // released after the lock
  Shard& shard = shard_of(flight);
  std::unique_lock lock(shard.mutex, std::defer_lock);
  if (flight.shared_) lock.lock();
  const auto result = step(flight.core_);
  if (flight.core_.terminal()) remove_locked(shard, flight, removed);
  return result;
}

}  // namespace slipstream::flight
