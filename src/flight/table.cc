#include "flight/table.h"

namespace slipstream::flight {

FlightTable::~FlightTable() {
  for (Shard& shard : shards_) shard.flights.clear();
}

FlightTable::Entry FlightTable::enter(const FlightRef& spare, Time now, Duration max_age) {
  FlightRef replaced;  // released after the lock
  Entry entry;
  Shard& shard = shard_of(*spare);
  const std::lock_guard lock(shard.mutex);
  const auto [at, inserted] = shard.flights.try_emplace(spare->key(), spare);
  if (!inserted) {
    Flight& found = *at->second;
    entry.refusal = found.core_.join(now, bounds_, found.log_.appended(), max_age);
    if (entry.refusal == JoinRefusal::kNone) {
      entry.flight = at->second;
      entry.cursor = found.log_.attach();
      return entry;
    }
    // The newer flight takes the key; the older one lives on for those who have it, and waits in
    // grace for nobody, since nobody can find it.
    found.core_.close_to_joiners();
    found.log_.release_head();
    found.in_table_ = false;
    replaced = std::exchange(at->second, spare);
  }
  spare->shared_ = true;
  spare->in_table_ = true;
  spare->core_.open();
  entry.flight = spare;
  entry.cursor = spare->log_.attach();
  entry.opened = true;
  return entry;
}

Cursor FlightTable::enter_alone(Flight& flight) {
  flight.core_.open();
  flight.core_.close_to_joiners();
  Cursor cursor = flight.log_.attach();
  flight.log_.release_head();
  return cursor;
}

Core::OnLeave FlightTable::leave(Flight& flight, Time now) {
  return change(flight, [&](Core& core) { return core.leave(now, bounds_); });
}

void FlightTable::close_to_joiners(Flight& flight) {
  FlightRef removed;
  Shard& shard = shard_of(flight);
  std::unique_lock lock(shard.mutex, std::defer_lock);
  if (flight.shared_) lock.lock();
  flight.core_.close_to_joiners();
  flight.log_.release_head();
  remove_locked(shard, flight, removed);
}

void FlightTable::remove_locked(Shard& shard, Flight& flight, FlightRef& removed) {
  if (!flight.in_table_) return;
  flight.in_table_ = false;
  const auto found = shard.flights.find(flight.key());
  removed = std::move(found->second);
  shard.flights.erase(found);
}

void FlightTable::for_each(const std::function<void(const Flight&, const Core&)>& visit) const {
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [key, flight] : shard.flights) visit(*flight, flight->core_);
  }
}

std::size_t FlightTable::size() const {
  std::size_t total = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    total += shard.flights.size();
  }
  return total;
}

}  // namespace slipstream::flight
