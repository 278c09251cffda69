#include "json/escape.h"

#include "json/scan.h"

namespace slipstream::json {
namespace {

constexpr std::uint32_t kNoHex = 0xffffffff;

// The value of the four hexadecimal digits behind "\u", or kNoHex.
std::uint32_t hex4(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return kNoHex;
  std::uint32_t value = 0;
  for (const char c : text.substr(2, 4)) {
    const char lower = static_cast<char>(c | 0x20);
    std::uint32_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      digit = static_cast<std::uint32_t>(lower - 'a' + 10);
    } else {
      return kNoHex;
    }
    value = value << 4 | digit;
  }
  return value;
}

Escape decode_unicode(std::string_view text) {
  const std::uint32_t high = hex4(text);
  if (high == kNoHex) return {};
  if (high < 0xd800 || high > 0xdbff) return {high, 6};
  const std::uint32_t low = hex4(text.substr(6));
  if (low == kNoHex || low < 0xdc00 || low > 0xdfff) return {high, 6};
  return {0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), 12};
}

}  // namespace

Escape decode_escape(std::string_view text) {
  if (text.size() < 2) return {};
  switch (text[1]) {
    case '"':
    case '\\':
    case '/':
      return {static_cast<std::uint32_t>(text[1]), 2};
    case 'b':
      return {'\b', 2};
    case 'f':
      return {'\f', 2};
    case 'n':
      return {'\n', 2};
    case 'r':
      return {'\r', 2};
    case 't':
      return {'\t', 2};
    case 'u':
      return decode_unicode(text);
    default:
      return {};
  }
}

char* put_utf8(char* out, std::uint32_t code_point) {
  const auto byte = [&](std::uint32_t value) { *out++ = static_cast<char>(value); };
  const auto tail = [&](int shift) { byte(0x80 | ((code_point >> shift) & 0x3f)); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xc0 | code_point >> 6);
    tail(0);
  } else if (code_point < 0x10000) {
    byte(0xe0 | code_point >> 12);
    tail(6);
    tail(0);
  } else {
    byte(0xf0 | code_point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
  return out;
}

char* put_escaped(char* out, char stop) {
  static constexpr std::string_view kStops = "\"\\\b\t\n\f\r";
  static constexpr std::string_view kShort = "\"\\btnfr";
  static constexpr std::string_view kHex = "0123456789abcdef";
  *out++ = '\\';
  if (const std::size_t i = kStops.find(stop); i != std::string_view::npos) {
    *out++ = kShort[i];
    return out;
  }
  *out++ = 'u';
  *out++ = '0';
  *out++ = '0';
  *out++ = kHex[static_cast<unsigned char>(stop) >> 4];
  *out++ = kHex[static_cast<unsigned char>(stop) & 15];
  return out;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  const char* p = text.data();
  const char* const end = p + text.size();
  for (;;) {
    const char* const stop = find_stop(p, end);
    out.append(p, stop);
    if (stop == end) break;
    char escaped[6];
    out.append(escaped, put_escaped(escaped, *stop));
    p = stop + 1;
  }
  out += '"';
}

}  // namespace slipstream::json
