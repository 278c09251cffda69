// A flight whose upstream is the test. For tests only.
#pragma once

#include <string>
#include <utility>

#include "flight/flight.h"

namespace slipstream::flight {

class FakeFlight final : public Flight {
 public:
  using Flight::Flight;

  void append(std::string_view bytes) { mutable_log().append(bytes); }
  void publish(std::string_view bytes) {
    mutable_log().append(bytes);
    mutable_log().publish();
  }
  void end(FlightEnding ending) { mutable_log().end(ending); }
  void on_home_wake() override { ++home_wakes; }

  int home_wakes = 0;
  bool cancelled = false;  // the upstream call
};

// Bytes of `cursor` that can be read now, at most `bytes_max`; the cursor moves behind them.
inline std::string read_some(Cursor& cursor, std::size_t bytes_max = SIZE_MAX) {
  std::string got;
  iovec pieces[8];
  while (const std::size_t count = cursor.peek(pieces, 8)) {
    std::size_t taken = 0;
    for (std::size_t i = 0; i < count && got.size() < bytes_max; ++i) {
      const std::size_t step = std::min(pieces[i].iov_len, bytes_max - got.size());
      got.append(static_cast<const char*>(pieces[i].iov_base), step);
      taken += step;
    }
    cursor.advance(taken);
    if (taken == 0) break;
  }
  return got;
}

inline boost::intrusive_ptr<FakeFlight> make_flight(ReplayBudget& budget, WakePort* const* ports,
                                                    WorkerIndex home = 0, char key = 'k',
                                                    Time opened_at = Time{}) {
  Flight::Setup setup;
  setup.key.fill(static_cast<std::uint8_t>(key));
  setup.canonical = std::string(1, key);
  setup.home = home;
  setup.opened_at = opened_at;
  return new FakeFlight(std::move(setup), budget, ports);
}

}  // namespace slipstream::flight
