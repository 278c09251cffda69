// Tables of names as constant data: rows in reading order and an index that the compiler hashes, so
// that a look-up is one probe and one comparison for nearly every name.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace slipstream::contract {

// Row has a member `name`; names are unique and not empty. The index refers to `rows`, which must
// be constant data too.
template <typename Row, std::size_t N>
class NameIndex {
 public:
  constexpr explicit NameIndex(const std::array<Row, N>& rows) : rows_(rows.data()) {
    for (std::size_t i = 0; i < N; ++i) {
      std::size_t slot = hash(rows[i].name.data(), rows[i].name.size());
      while (slots_[slot] != 0) slot = (slot + 1) % kSlots;
      slots_[slot] = static_cast<std::uint16_t>(i + 1);
    }
  }

  // nullptr if there is no such row.
  constexpr const Row* find(std::string_view name) const {
    if (name.empty()) return nullptr;
    std::size_t slot = hash(name.data(), name.size());
    for (; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
      const Row& row = rows_[slots_[slot] - 1];
      if (row.name == name) return &row;
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t kSlots = std::bit_ceil(N * 4);

  // Plain pointers, here and below: a checked index costs as much as the look-up itself.
  static constexpr std::size_t hash(const char* name, std::size_t size) {
    const auto at = [name](std::size_t i) { return static_cast<unsigned char>(name[i]); };
    const std::uint32_t mixed = static_cast<std::uint32_t>(size) * 0x9e3779b1U +
                                at(0) * 0x85ebca6bU + at(size / 2) * 0xc2b2ae35U +
                                at(size - 1) * 0x27d4eb2fU;
    return (mixed >> 16) % kSlots;
  }

  const Row* rows_;
  std::uint16_t slots_[kSlots] = {};
};

}  // namespace slipstream::contract
