#include "flight/flight.h"

#include <bit>

namespace slipstream::flight {

void Flight::wake(WorkerIndex worker) {
  const std::uint64_t bit = std::uint64_t{1} << worker;
  if (pending_.fetch_or(bit, std::memory_order_seq_cst) & bit) return;
  ports_[worker]->wake(FlightRef(this));
}

void Flight::wake_others() {
  if (!shared_) return;
  // Publish, fence, read interests: the other half stands in Hall::enter() and Hall::attend().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::uint64_t rest = interests_.load(std::memory_order_relaxed) & ~(std::uint64_t{1} << home());
  while (rest) {
    const auto worker = static_cast<WorkerIndex>(std::countr_zero(rest));
    rest &= rest - 1;
    wake(worker);
  }
}

void Flight::forget_positions() {
  fastest_.store(0, std::memory_order_seq_cst);
  announced_.fetch_add(1, std::memory_order_release);
  wake(home());
  wake_others();
}

void Flight::note_position(std::uint64_t position) {
  std::uint64_t seen = fastest_.load(std::memory_order_seq_cst);
  while (position > seen &&
         !fastest_.compare_exchange_weak(seen, position, std::memory_order_seq_cst)) {
  }
}

}  // namespace slipstream::flight
