// How many different things were seen, without keeping them: HyperLogLog (Flajolet and others,
// 2007) over hashes that are uniform already.
//
// 4 KiB, standard error 1.6 %. Thread rule: note() by one thread, registers are read by any.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace slipstream::telemetry {

class Distinct {
 public:
  // Precondition: `hash` is uniformly distributed, as the bytes of a SHA-256 are.
  void note(std::uint64_t hash) {
    auto& seen = registers_[hash >> (64 - kIndexBits)];
    // The run of zeros behind the index, counted from one; the bit set last bounds it.
    const auto rank = static_cast<std::uint8_t>(
        1 + std::countl_zero((hash << kIndexBits) | (std::uint64_t{1} << (kIndexBits - 1))));
    if (rank > seen.load(std::memory_order_relaxed)) seen.store(rank, std::memory_order_relaxed);
  }
  // Makes this the count of both.
  void merge(const Distinct& other);
  double estimate() const;

 private:
  static constexpr int kIndexBits = 12;
  std::array<std::atomic<std::uint8_t>, std::size_t{1} << kIndexBits> registers_{};
};

}  // namespace slipstream::telemetry
