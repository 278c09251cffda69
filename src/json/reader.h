// Reading small JSON by hand: look up a member, step over members or elements, take a string.
//
// A skimmer, not a validator: it never reads outside the text and never fails loudly; malformed
// text ends the iteration early. Where it matters that the text is valid, canonicalize first. All
// views point into the text given. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/kind.h"

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

// Raw text of the first member of that name; empty if there is none. Names compare raw.
std::string_view find(std::string_view object, std::string_view name);

// The content of a raw string value: a view into it, or into `scratch` if escapes had to be decoded
// (a lone surrogate becomes U+FFFD). Nothing if it is no string or has a bad escape.
std::optional<std::string_view> text_of(std::string_view raw, std::string& scratch);

}  // namespace slipstream::json
