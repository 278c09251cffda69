// The canonical form of a JSON text: equal bytes exactly when two texts ask for the same thing.
//
// One walk, full validation. Members of the top-level object are sorted by name; below it order is
// kept, because it reaches prompts, schemas and grammars. White space outside strings is dropped.
// Strings have one encoding (json/escape.h); no Unicode, case or white-space change inside them.
// Numbers keep their source text, except top-level members: those are exact decimals
// (json/decimal.h). null, absent and an explicit default stay three different things.
// The canonical form of a canonical form is itself.
//
// One thread at a time; a Canonicalizer keeps scratch memory between calls.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/kind.h"

namespace slipstream::json {

inline constexpr int kDepthMax = 64;  // the top-level value is level 1

// Why a text is refused. Closed set.
enum class Fault {
  kUnexpectedEnd,     // empty, or cut short
  kUnexpectedByte,    // a byte no grammar rule allows here
  kTrailingBytes,     // something follows the value
  kBadLiteral,        // starts like true, false or null, and is not
  kBadNumber,         // breaks the number grammar
  kNotFinite,         // larger than any IEEE 754 binary64
  kBadEscape,         // no JSON escape
  kLoneSurrogate,     // \ud800 to \udfff without its other half
  kControlCharacter,  // a raw byte below 0x20 inside a string
  kInvalidUtf8,
  kDuplicateName,  // same member name twice in one object, after unescaping
  kTooDeep,        // nesting over kDepthMax
};
std::string_view to_string(Fault fault);  // "duplicate member name"

struct Error {
  Fault fault;
  std::size_t offset;  // of the first byte that is at fault, in the text given
};

struct Member {
  std::string_view name;   // canonical encoding, without quotes
  std::string_view value;  // canonical
  std::string_view raw;    // the value as it stands in the text given
  Kind kind;
};

class Canonicalizer {
 public:
  // Appends the canonical form of `text` to `out` and returns the kind of the top-level value.
  // `text` needs no padding and must not be part of `out`. On failure `out` is as before.
  // Cost: one walk and one copy; no allocation once scratch and `out` are large enough.
  Result<Kind, Error> append(std::string_view text, std::string& out);

  // Members of the top-level object of the last successful append(), sorted by name. Their name and
  // value point into its `out` (valid until that changes), raw into its `text`.
  std::span<const Member> members() const { return members_; }

 private:
  friend class Walker;
  struct Name {
    std::string_view text;
    std::size_t offset;
  };

  std::vector<Member> members_;
  std::vector<Name> names_;  // names of the objects that are open, innermost last
  std::unique_ptr<char[]> scratch_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace slipstream::json
