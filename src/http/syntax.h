// Character classes of RFC 9110 section 5.6 as table look-ups. Pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
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

namespace detail {
// Lower-cases sizeof(Word) token characters at once: none of them has its high bit set.
template <typename Word>
void lower_word(char* at) {
  constexpr Word kOnes = static_cast<Word>(~Word{0}) / 0xff;
  Word bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  const Word from_a = bytes + (0x80 - 'A') * kOnes;  // high bit set: 'A' or above
  const Word above_z = bytes + (0x7f - 'Z') * kOnes;
  bytes |= (from_a & ~above_z & 0x80 * kOnes) >> 2;
  std::memcpy(at, &bytes, sizeof bytes);
}
}  // namespace detail

// Lower-cases a token in place. Precondition: it is a token. The last word overlaps the one before,
// which does no harm: what is lower case stays so.
inline void lower_token(char* token, std::size_t size) {
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) detail::lower_word<std::uint64_t>(token + i);
    detail::lower_word<std::uint64_t>(token + size - 8);
  } else if (size >= 4) {
    detail::lower_word<std::uint32_t>(token);
    detail::lower_word<std::uint32_t>(token + size - 4);
  } else {
    for (std::size_t i = 0; i < size; ++i) token[i] = lower_token(token[i]);
  }
}

namespace detail {
// True if all eight bytes are visible ASCII.
inline bool are_visible(std::uint64_t bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  // Carries stay inside a byte unless its high bit was set, which is bad anyway.
  const std::uint64_t from_21 = bytes + (0x80 - 0x21) * kOnes;
  const std::uint64_t from_7f = bytes + kOnes;
  return ((from_21 & ~from_7f & ~bytes) & 0x80 * kOnes) == 0x80 * kOnes;
}
}  // namespace detail

// Visible ASCII only: no blank, no control byte, nothing from 0x80.
inline bool is_visible(std::string_view text) {
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text.data(), sizeof bytes);
    if (!detail::are_visible(bytes)) return false;
    text.remove_prefix(sizeof bytes);
  }
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace slipstream::http
