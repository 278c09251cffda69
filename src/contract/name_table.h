// Tables of names as constant data: rows in reading order and an index that the compiler hashes, so
// that a look-up is one probe and one comparison for nearly every name.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace slipstream::contract {

// A table as its readers see it. Row has a member `name`. Views constant data; copy freely.
template <typename Row>
class NameTable {
 public:
  constexpr NameTable() = default;
  // `slots`: a power of two, holds 0 or a row's place + 1.
  constexpr NameTable(std::span<const Row> rows, std::span<const std::uint16_t> slots)
      : rows_(rows), slots_(slots.data()), mask_(slots.size() - 1) {}

  constexpr std::span<const Row> rows() const { return rows_; }

  // nullptr if there is no such row.
  constexpr const Row* find(std::string_view name) const {
    if (name.empty() || slots_ == nullptr) return nullptr;
    std::size_t slot = hash(name.data(), name.size()) & mask_;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask_) {
      const Row& row = rows_.data()[slots_[slot] - 1];
      if (row.name == name) return &row;
    }
    return nullptr;
  }

  // Plain pointers, here and above: a checked index costs as much as the look-up itself.
  static constexpr std::size_t hash(const char* name, std::size_t size) {
    const auto at = [name](std::size_t i) { return static_cast<unsigned char>(name[i]); };
    const std::uint32_t mixed = static_cast<std::uint32_t>(size) * 0x9e3779b1U +
                                at(0) * 0x85ebca6bU + at(size / 2) * 0xc2b2ae35U +
                                at(size - 1) * 0x27d4eb2fU;
    return mixed >> 16;
  }

 private:
  std::span<const Row> rows_;
  const std::uint16_t* slots_ = nullptr;
  std::size_t mask_ = 0;
};

// The index of at most `max` rows with names that are unique and not empty. Refers to `rows`, which
// must be constant data too.
template <typename Row, std::size_t max>
class NameIndex {
 public:
  constexpr explicit NameIndex(std::span<const Row> rows) : rows_(rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string_view name = rows[i].name;
      std::size_t slot = NameTable<Row>::hash(name.data(), name.size()) % slots_.size();
      while (slots_[slot] != 0) slot = (slot + 1) % slots_.size();
      slots_[slot] = static_cast<std::uint16_t>(i + 1);
    }
  }
  constexpr explicit NameIndex(const std::array<Row, max>& rows)
      : NameIndex(std::span<const Row>(rows)) {}

  constexpr NameTable<Row> table() const { return {rows_, slots_}; }
  constexpr const Row* find(std::string_view name) const { return table().find(name); }

 private:
  std::span<const Row> rows_;
  std::array<std::uint16_t, std::bit_ceil(max * 4)> slots_{};
};
template <typename Row, std::size_t n>
NameIndex(const std::array<Row, n>&) -> NameIndex<Row, n>;

}  // namespace slipstream::contract
