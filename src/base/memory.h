// Giving memory back to the system after a burst.
#pragma once

#include <cstdint>

namespace slipstream {

// Decides when: a burst is over once the load has fallen to a quarter of its peak. Pure.
class BurstWatch {
 public:
  // `load`: live work items, sampled about once a second. True when memory should be given back.
  bool is_over(std::uint64_t load) {
    if (load > peak_) peak_ = load;
    if (peak_ < kBurst || load > peak_ / 4) return false;
    peak_ = load;
    return true;
  }

 private:
  static constexpr std::uint64_t kBurst = 512;  // below, it is not worth the walk over the heap
  std::uint64_t peak_ = 0;
};

// Returns free pages of the heap to the system. Takes milliseconds on a large heap, under the
// allocator's locks: not for a worker's thread.
void release_free_memory();

}  // namespace slipstream
