#include "json/canonical.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "json/decimal.h"
#include "json/walker.h"

namespace slipstream::json {
namespace {

// Above this the scratch memory of one giant body is not kept for the next one.
constexpr std::size_t kScratchKeptMax = 1 << 20;

// memcpy in plain block moves: a call costs more than a short text, and glibc's choice for a long
// one (rep movsb) 0.3 ns a byte where source and target are aligned differently, as they are here.
// Reads and writes less than kBlock bytes behind the text, which both sides have: the Walker's
// memory, and the room for a number's growth that the member being written has not used.
static_assert(kDecimalGrowth >= kBlock);
char* copy_blocks(char* out, std::string_view text) {
  char* const behind = out + text.size();
  const char* p = text.data();
  const char* const end = p + text.size();
  for (; end - p >= kRun; p += kRun, out += kRun) std::memcpy(out, p, kRun);
  for (; p < end; p += kBlock, out += kBlock) std::memcpy(out, p, kBlock);
  return behind;
}

// Rewrites `members` (views into scratch memory) as one sorted object at `out`; returns the end.
char* put_sorted_object(char* out, std::vector<Member>& members) {
  const auto copy = [&](std::string_view text) {
    char* const start = out;
    out = copy_blocks(out, text);
    return std::string_view(start, text.size());
  };
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.name < b.name; });
  *out++ = '{';
  for (Member& member : members) {
    if (&member != &members.front()) *out++ = ',';
    *out++ = '"';
    member.name = copy(member.name);
    *out++ = '"';
    *out++ = ':';
    if (member.kind == Kind::kNumber) {
      char* const start = out;
      out = put_decimal(out, member.value);
      member.value = {start, static_cast<std::size_t>(out - start)};
    } else {
      member.value = copy(member.value);
    }
  }
  *out++ = '}';
  return out;
}

std::size_t character_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// Precondition: `text` is not valid UTF-8. Halves the range, then goes character by character.
std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t good = 0;  // [0, good) is valid
  for (std::size_t bad = text.size(); bad - good > 64;) {
    std::size_t middle = good + (bad - good) / 2;
    // A cut inside a character would look invalid.
    for (int i = 0; i < 3 && (static_cast<unsigned char>(text[middle]) & 0xc0) == 0x80; ++i) {
      --middle;
    }
    (simdjson::validate_utf8(text.substr(good, middle - good)) ? good : bad) = middle;
  }
  while (simdjson::validate_utf8(text.substr(good, character_length(text[good])))) {
    good += character_length(text[good]);
  }
  return good;
}

}  // namespace

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::kUnexpectedEnd:
      return "unexpected end";
    case Fault::kUnexpectedByte:
      return "unexpected byte";
    case Fault::kTrailingBytes:
      return "bytes after the value";
    case Fault::kBadLiteral:
      return "bad literal";
    case Fault::kBadNumber:
      return "bad number";
    case Fault::kNotFinite:
      return "number out of range";
    case Fault::kBadEscape:
      return "bad escape";
    case Fault::kLoneSurrogate:
      return "lone surrogate";
    case Fault::kControlCharacter:
      return "raw control character in a string";
    case Fault::kInvalidUtf8:
      return "invalid UTF-8";
    case Fault::kDuplicateName:
      return "duplicate member name";
    case Fault::kTooDeep:
      return "nesting over 64 levels";
  }
  return "unknown";
}

Result<Kind, Error> Canonicalizer::append(std::string_view text, std::string& out) {
  members_.clear();
  names_.clear();
  if (!simdjson::validate_utf8(text)) {
    return Failure{Error{Fault::kInvalidUtf8, first_invalid_utf8(text)}};
  }
  const std::size_t needed = text.size() + kBlock;
  if (scratch_bytes_ < needed) {
    scratch_ = std::make_unique_for_overwrite<char[]>(needed);
    scratch_bytes_ = needed;
  }
  Walker walker(text, scratch_.get(), *this);
  if (!walker.run()) {
    members_.clear();
    return Failure{walker.error()};
  }
  const auto written = static_cast<std::size_t>(walker.out() - scratch_.get());
  const Kind kind = *kind_of({scratch_.get(), written});

  const std::size_t old_size = out.size();
  out.resize(old_size + written + members_.size() * kDecimalGrowth);
  char* const start = out.data() + old_size;
  char* end = start + written;
  if (kind == Kind::kObject) {
    end = put_sorted_object(start, members_);
  } else {
    std::memcpy(start, scratch_.get(), written);
  }
  out.resize(static_cast<std::size_t>(end - out.data()));
  if (scratch_bytes_ > kScratchKeptMax) {
    scratch_.reset();
    scratch_bytes_ = 0;
  }
  return kind;
}

}  // namespace slipstream::json
