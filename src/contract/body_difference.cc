// The body's half of difference.h: two canonical JSON texts, walked side by side.
#include <algorithm>

#include "base/text.h"
#include "contract/difference.h"
#include "json/decimal.h"
#include "json/reader.h"

namespace slipstream::contract {
namespace {

using json::Kind;

constexpr std::size_t kShownMax = 48;  // bytes of a value or name that are quoted

// Where a value stands: "messages[2].content". Empty for the body itself.
using Path = std::string;

std::string differ(const Path& path, std::string_view a, std::string_view b);

// At most kShownMax bytes, and never half a character.
std::string_view cut(std::string_view text) {
  if (text.size() <= kShownMax) return text;
  std::size_t size = kShownMax;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return text.substr(0, size);
}

Path member_of(const Path& path, std::string_view name) {
  const bool plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || c == '_' ||
           c == '-';
  });
  if (!plain) return path + "[\"" + std::string(cut(name)) + "\"]";
  return (path.empty() ? path : path + ".") + std::string(cut(name));
}

std::string shown(const Path& path) {
  return path.empty() ? "the body" : "`" + path + "`";
}

std::string text_of(std::string_view raw) {
  std::string scratch;
  return std::string(json::text_of(raw, scratch).value_or(raw));
}

// A value in few words. Strings below the top level are content: they are not quoted.
std::string described(const Path& path, std::string_view value) {
  if (value.empty()) return "absent";
  const bool top = path.find_first_of(".[") == Path::npos;
  switch (*json::kind_of(value)) {
    case Kind::kObject:
      return "an object";
    case Kind::kArray:
      return "an array";
    case Kind::kString:
      return top && value.size() <= kShownMax ? std::string(value) : "a string";
    default:
      return std::string(cut(value));
  }
}

std::string is_in(const Path& path, std::string_view a, std::string_view b) {
  return shown(path) + " is " + described(path, a) + " in A and " + described(path, b) + " in B";
}

std::string differ_as_objects(const Path& path, std::string_view a, std::string_view b) {
  json::Members in_a(a);
  json::Members in_b(b);
  while (true) {
    const bool more_a = in_a.next();
    const bool more_b = in_b.next();
    if (!more_a && !more_b) return {};
    if (more_a && more_b && in_a.name() == in_b.name()) {
      if (in_a.value() == in_b.value()) continue;
      return differ(member_of(path, in_a.name()), in_a.value(), in_b.value());
    }
    if (more_a && json::find(b, in_a.name()).empty())
      return is_in(member_of(path, in_a.name()), in_a.value(), {});
    if (more_b && json::find(a, in_b.name()).empty())
      return is_in(member_of(path, in_b.name()), {}, in_b.value());
    return "member order differs inside " + shown(path) + ", and order reaches the prompt";
  }
}

std::string differ_as_arrays(const Path& path, std::string_view a, std::string_view b) {
  json::Elements in_a(a);
  json::Elements in_b(b);
  for (std::uint64_t i = 0;; ++i) {
    const bool more_a = in_a.next();
    const bool more_b = in_b.next();
    Path element = path + '[';
    append_decimal(element, i);
    element += ']';
    if (more_a != more_b) return shown(element) + " is only in " + (more_a ? "A" : "B");
    if (!more_a) return {};
    if (in_a.value() != in_b.value()) return differ(element, in_a.value(), in_b.value());
  }
}

std::string differ_as_strings(const Path& path, std::string_view a, std::string_view b) {
  if (described(path, a) == a && described(path, b) == b) return is_in(path, a, b);
  const std::string text_a = text_of(a);
  const std::string text_b = text_of(b);
  const auto at = std::mismatch(text_a.begin(), text_a.end(), text_b.begin(), text_b.end()).first;
  std::string words = shown(path) + " differs at byte ";
  append_decimal(words, static_cast<std::uint64_t>(at - text_a.begin()));
  return words;
}

std::string decimal_of(std::string_view number) {
  std::string out(number.size() + json::kDecimalGrowth, '\0');
  out.resize(static_cast<std::size_t>(json::put_decimal(out.data(), number) - out.data()));
  return out;
}

std::string differ(const Path& path, std::string_view a, std::string_view b) {
  const auto kind = json::kind_of(a);
  if (kind == json::kind_of(b)) {
    if (kind == Kind::kObject) return differ_as_objects(path, a, b);
    if (kind == Kind::kArray) return differ_as_arrays(path, a, b);
    if (kind == Kind::kString) return differ_as_strings(path, a, b);
    if (kind == Kind::kNumber && decimal_of(a) == decimal_of(b))
      return is_in(path, a, b) +
             ": the same number written differently, and below the top level that may reach the "
             "prompt";
  }
  return is_in(path, a, b);
}

}  // namespace

std::string first_body_difference(std::string_view a, std::string_view b) {
  return a == b ? std::string() : differ({}, a, b);
}

}  // namespace slipstream::contract
