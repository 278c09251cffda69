// One worker's side of all flights it serves: rooms of subscribers, woken and written to in slices.
//
// Fan-out is a plain loop in join order: a few subscribers, then strangers get their turn.
// Thread rule: one Hall per worker, that worker's thread only.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>

#include "flight/flight.h"

namespace slipstream::flight {

class Hall {
 public:
  explicit Hall(WorkerIndex worker) : worker_(worker) {}

  // Seats a subscriber. From here on it is told of progress; read the log after this, not before,
  // or a wake-up is lost. Precondition: it holds a reference to the flight and sits in no room.
  void enter(Flight& flight, Subscriber& subscriber);
  // Unseats it; allowed from inside its own on_progress(). Precondition: seated here.
  void leave(Flight& flight, Subscriber& subscriber);
  bool seated(const Subscriber& subscriber) const { return subscriber.seat_ != 0; }

  // Home worker: something was published; tells everybody here and wakes the other workers.
  void announce(Flight& flight);
  // A wake-up arrived, from another worker or from here for the rest of a pass. Holds the flight
  // while it works.
  void attend(FlightRef flight);

  std::size_t subscribers() const { return seated_; }

  static constexpr int kWritesPerSlice = 64;

 private:
  Room* room_of(Flight& flight);
  void pass(Flight& flight, Room& room);

  WorkerIndex worker_;
  std::size_t seated_ = 0;
  boost::unordered_flat_map<Flight*, std::unique_ptr<Room>> remote_rooms_;
};

}  // namespace slipstream::flight
