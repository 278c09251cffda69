#include "json/decimal.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

namespace slipstream::json {
namespace {

constexpr std::size_t kExponentDigitsMax = 15;

// number = +-(significant digits) * 10^exponent
struct Parts {
  bool negative = false;
  bool vast_exponent = false;    // exponent is only its sign times a very large number
  std::string_view significant;  // first to last non-zero digit, may hold a '.'; empty for zero
  std::int64_t digit_count = 0;  // digits in `significant`
  std::int64_t exponent = 0;
};

// Explicit exponent ("e-07" -> -7); saturates far beyond any length a body can have.
std::int64_t read_exponent(std::string_view text, bool& vast) {
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  vast = text.size() > kExponentDigitsMax;
  std::int64_t value = 1'000'000'000'000'000;
  if (!vast) {
    value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
  }
  return negative ? -value : value;
}

Parts split(std::string_view number) {
  Parts parts;
  if (number.front() == '-') {
    parts.negative = true;
    number.remove_prefix(1);
  }
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t first = kNone;  // the outermost digits that are not zero
  std::size_t last = kNone;
  std::size_t point = kNone;
  std::size_t e = 0;
  for (; e < number.size() && (number[e] | 0x20) != 'e'; ++e) {
    if (number[e] == '.') point = e;
    if (number[e] == '.' || number[e] == '0') continue;
    if (first == kNone) first = e;
    last = e;
  }
  if (first == kNone) return parts;
  point = std::min(point, e);

  parts.significant = number.substr(first, last - first + 1);
  parts.digit_count = static_cast<std::int64_t>(parts.significant.size());
  if (first < point && point < last) --parts.digit_count;
  if (e < number.size()) parts.exponent = read_exponent(number.substr(e + 1), parts.vast_exponent);
  const auto shift = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(last);
  parts.exponent += shift > 0 ? shift - 1 : shift;
  return parts;
}

}  // namespace

char* put_decimal(char* out, std::string_view number) {
  if (number.size() == 1) {  // most temperatures
    *out++ = number.front();
    return out;
  }
  const Parts parts = split(number);
  if (parts.vast_exponent) return std::copy(number.begin(), number.end(), out);
  if (parts.negative) *out++ = '-';
  if (parts.significant.empty()) {
    *out++ = '0';
    return out;
  }
  out = std::remove_copy(parts.significant.begin(), parts.significant.end(), out, '.');
  if (parts.exponent == 0) return out;
  *out++ = 'e';
  return std::to_chars(out, out + kDecimalGrowth, parts.exponent).ptr;
}

bool is_finite(std::string_view number) {
  const Parts parts = split(number);
  if (parts.significant.empty()) return true;
  const std::int64_t magnitude = parts.digit_count + parts.exponent;  // number < 10^magnitude
  constexpr int kMax = std::numeric_limits<double>::max_exponent10 + 1;
  if (magnitude != kMax) return magnitude < kMax;
  double rounded = 0;
  const auto status = std::from_chars(number.data(), number.data() + number.size(), rounded).ec;
  return status == std::errc{};
}

std::optional<std::int64_t> exact_integer(std::string_view number) {
  const Parts parts = split(number);
  if (parts.significant.empty()) return 0;
  if (parts.exponent < 0 || parts.digit_count + parts.exponent > 19) return std::nullopt;
  __int128 value = 0;
  for (const char c : parts.significant) {
    if (c != '.') value = value * 10 + (c - '0');
  }
  for (std::int64_t i = 0; i < parts.exponent; ++i) value *= 10;
  if (parts.negative) value = -value;
  if (value < std::numeric_limits<std::int64_t>::min() ||
      value > std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace slipstream::json
