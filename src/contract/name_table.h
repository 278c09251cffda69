// Tables of names as constant data: written in reading order, sorted by the compiler, searched by
// length first and bytes second, so that most steps compare two integers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace slipstream::contract {

struct ByLengthThenBytes {
  constexpr bool operator()(std::string_view a, std::string_view b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

// Row has a member `name`. Names must be unique.
template <typename Row, std::size_t N>
constexpr std::array<Row, N> sorted_by_name(std::array<Row, N> rows) {
  std::ranges::sort(rows, ByLengthThenBytes{}, &Row::name);
  return rows;
}

// Precondition: `rows` went through sorted_by_name. nullptr if there is no such row.
template <typename Row, std::size_t N>
constexpr const Row* find_row(const std::array<Row, N>& rows, std::string_view name) {
  const auto row = std::ranges::lower_bound(rows, name, ByLengthThenBytes{}, &Row::name);
  return row != rows.end() && row->name == name ? &*row : nullptr;
}

}  // namespace slipstream::contract
