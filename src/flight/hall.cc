#include "flight/hall.h"

#include <iterator>

#include "base/check.h"

namespace slipstream::flight {

Room* Hall::room_of(Flight& flight) {
  if (flight.home() == worker_) return &flight.home_room_;
  const auto found = remote_rooms_.find(&flight);
  return found == remote_rooms_.end() ? nullptr : found->second.get();
}

void Hall::enter(Flight& flight, Subscriber& subscriber) {
  Room* room = room_of(flight);
  if (!room) room = remote_rooms_.emplace(&flight, std::make_unique<Room>()).first->second.get();
  if (room->subscribers.empty()) {
    flight.interests_.fetch_or(std::uint64_t{1} << worker_, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  room->subscribers.push_back(subscriber);
  subscriber.seat_ = 1;
  ++seated_;
}

void Hall::leave(Flight& flight, Subscriber& subscriber) {
  Room* room = room_of(flight);
  SLIP_CHECK(room && subscriber.seat_);
  const auto at = room->subscribers.iterator_to(subscriber);
  if (room->next == &subscriber) {
    const auto after = std::next(at);
    room->next = after == room->subscribers.end() ? nullptr : &*after;
  }
  room->subscribers.erase(at);
  subscriber.seat_ = 0;
  --seated_;
  if (!room->subscribers.empty()) return;
  flight.interests_.fetch_and(~(std::uint64_t{1} << worker_), std::memory_order_seq_cst);
  if (flight.home() != worker_) remote_rooms_.erase(&flight);
}

void Hall::announce(Flight& flight) {
  // Before wake_others(), so that who wakes sees it.
  flight.announced_.fetch_add(1, std::memory_order_release);
  flight.wake_others();
  // A running pass goes on by its own wake-up and then sees that there is news.
  Room& room = flight.home_room_;
  if (!room.next) pass(flight, room);
}

void Hall::attend(FlightRef flight) {
  flight->pending_.fetch_and(~(std::uint64_t{1} << worker_), std::memory_order_seq_cst);
  // Clear, fence, read the log: the other half stands in Flight::wake_others().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (flight->home() == worker_) flight->on_home_wake();
  if (Room* room = room_of(*flight)) pass(*flight, *room);
}

void Hall::pass(Flight& flight, Room& room) {
  // Lifetime: callers hold the flight; a remote room goes when its last subscriber leaves, so it is
  // looked up again after every callback that may have emptied it.
  const bool remote = flight.home() != worker_;
  Room* at = &room;
  for (int writes = 0; writes < kWritesPerSlice; ++writes) {
    if (!at->next) {
      const std::uint64_t announced = flight.announced_.load(std::memory_order_acquire);
      if (at->heard == announced || at->subscribers.empty()) return;
      at->heard = announced;
      at->next = &at->subscribers.front();
    }
    Subscriber& subscriber = *at->next;
    const auto after = std::next(at->subscribers.iterator_to(subscriber));
    at->next = after == at->subscribers.end() ? nullptr : &*after;
    subscriber.on_progress();
    if (remote) {
      at = room_of(flight);
      if (!at) return;
    } else if (!at->next) {
      flight.on_home_pass_done();
    }
  }
  const bool news = at->heard != flight.announced_.load(std::memory_order_acquire);
  if (at->next || news) flight.wake(worker_);
}

}  // namespace slipstream::flight
