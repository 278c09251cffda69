// Reading small JSON by hand: look up a member, step over members or elements, take a string; or
// pass over a whole text once, with a Cursor.
//
// A skimmer, not a validator: it never reads outside the text and never fails loudly; malformed
// text ends the iteration early. Where it matters that the text is valid, canonicalize first. All
// views point into the text given. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "json/kind.h"
#include "json/scan.h"

namespace slipstream::json {

// for (Members m(object); m.next();) use(m.name(), m.value());
class Members {
 public:
  // Text that is no object has no members.
  explicit Members(std::string_view object);
  bool next();
  std::string_view name() const { return name_; }    // raw: without quotes, escapes kept
  std::string_view value() const { return value_; }  // raw text of the value

 private:
  std::string_view rest_;
  std::string_view name_;
  std::string_view value_;
};

class Elements {
 public:
  // Text that is no array has no elements.
  explicit Elements(std::string_view array);
  bool next();
  std::string_view value() const { return value_; }

 private:
  std::string_view rest_;
  std::string_view value_;
};

// One forward pass over nested values: each byte is looked at once, nothing is copied. Whoever is
// handed the cursor in front of a value takes it, whole or member by member. The short ways through
// stand in line here: every event of every stream goes through them.
//
// Checked: brackets pair up, no deeper than kDepthMax inside a value taken whole; strings are
// closed and free of control characters; commas and colons of what is stepped through; names'
// escapes. Not checked: commas, colons and names' escapes inside a value taken whole, the spelling
// of numbers and literals, escapes of string values, UTF-8, that names are unique.
//
//   cursor.members([&](std::string_view name) {
//     return name == "a" ? read_a(cursor) : !cursor.take().empty();
//   });
class Cursor {
 public:
  static constexpr std::size_t kDepthMax = 1024;

  // `scratch` holds a name whose escapes had to be decoded. Both outlive the cursor.
  Cursor(std::string_view text, std::string& scratch)
      : p_(text.data()), end_(text.data() + text.size()), scratch_(&scratch) {}

  // The first character of what stands here, behind white space; '\0' at the end.
  char peek() { return p_ < end_ && *p_ > ' ' ? *p_ : peek_behind_space(); }
  bool at_end() { return p_ == end_ || (peek() == '\0' && p_ == end_); }
  // Takes one value: its raw text, or nothing if none stands here.
  [[gnu::always_inline]] std::string_view take() {
    const char first = peek();
    const char* const start = p_;
    if (first == '"') {
      const char* const quote = near_quote(start + 1, end_);
      p_ = quote != nullptr ? quote + 1 : behind_string(start, end_);
    } else if (end_ - start > 4 && std::memcmp(start, "null", 4) == 0) {
      p_ += 4;
    } else {
      p_ = behind_other(start, end_);
    }
    return {start, p_};
  }

  // Take an object or an array, calling visit(name) or visit() in front of each value, which takes
  // it and returns true. False if something else stands here, if the text is malformed or if
  // `visit` said false; the cursor is of no use then. The name is decoded and lives until the next
  // one is read, be it one further inside.
  template <typename Visit>
  bool members(Visit visit) {
    if (!eat('{')) return false;
    if (eat('}')) return true;
    do {
      const std::string_view name = take_name();
      if (name.data() == nullptr || !visit(name)) return false;
    } while (eat(','));
    return eat('}');
  }
  template <typename Visit>
  bool elements(Visit visit) {
    if (!eat('[')) return false;
    if (eat(']')) return true;
    do {
      if (!visit()) return false;
    } while (eat(','));
    return eat(']');
  }

 private:
  bool eat(char c) {
    if ((p_ == end_ || *p_ != c) && peek() != c) return false;
    ++p_;  // c is never what peek() says at the end
    return true;
  }
  // Takes a name and its colon; one without data is none.
  [[gnu::always_inline]] std::string_view take_name() {
    if (peek() != '"') return {};
    const char* const start = p_ + 1;
    const char* const quote = near_quote(start, end_);
    if (quote == nullptr) return take_other_name();
    p_ = quote + 1;
    return eat(':') ? std::string_view(start, quote) : std::string_view();
  }
  char peek_behind_space();
  std::string_view take_other_name();  // a long one, or one with escapes
  // Behind what opens at p; p if it is malformed.
  static const char* behind_string(const char* p, const char* end);
  static const char* behind_other(const char* p, const char* end);

  const char* p_;
  const char* end_;
  std::string* scratch_;
};

// Raw text of the first member of that name; empty if there is none. Names compare raw.
std::string_view find(std::string_view object, std::string_view name);

// The content of a raw string value: a view into it, or into `scratch` if escapes had to be decoded
// (a lone surrogate becomes U+FFFD). Nothing if it is no string or has a bad escape.
std::optional<std::string_view> text_of(std::string_view raw, std::string& scratch);

}  // namespace slipstream::json
