// Character classes of RFC 9110 section 5.6 as table look-ups. Pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace slipstream::http {

namespace detail {
// Index: byte. Value: the lower-case form of a token character, 0 for any other byte.
constexpr std::array<char, 256> make_token_table() {
  std::array<char, 256> table{};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")) {
    table[static_cast<std::uint8_t>(c)] = c;
  }
  for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<std::uint8_t>(c)] = static_cast<char>(c + 32);
  return table;
}
inline constexpr std::array<char, 256> kTokenTable = make_token_table();
}  // namespace detail

// The lower-case form of a token character, 0 if `c` may not stand in a token.
inline char lower_token(char c) {
  return detail::kTokenTable[static_cast<std::uint8_t>(c)];
}

namespace detail {
inline bool is_field_byte(char c) {
  const auto byte = static_cast<std::uint8_t>(c);
  return (byte >= 0x20 && byte != 0x7f) || byte == '\t';
}

// True if one of the eight bytes is below SP or is DEL.
inline bool has_control(std::uint64_t bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = 0x80 * kOnes;
  const std::uint64_t del = bytes ^ (0x7f * kOnes);
  return (((bytes - 0x20 * kOnes) & ~bytes) | ((del - kOnes) & ~del)) & kHighs;
}
}  // namespace detail

// Visible characters, SP, HT and bytes from 0x80: what a field value may hold.
inline bool is_field_text(std::string_view text) {
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text.data(), sizeof bytes);
    if (detail::has_control(bytes)) break;  // maybe just a HT
    text.remove_prefix(sizeof bytes);
  }
  return std::all_of(text.begin(), text.end(), detail::is_field_byte);
}

// Visible ASCII only: no blank, no control byte, nothing from 0x80.
inline bool is_visible(std::string_view text) {
  unsigned bad = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    bad |= static_cast<unsigned>(byte < 0x21) | static_cast<unsigned>(byte > 0x7e);
  }
  return bad == 0;
}

}  // namespace slipstream::http
