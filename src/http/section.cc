#include "http/section.h"

#include <algorithm>
#include <cstring>

#include "http/syntax.h"

namespace slipstream::http {

namespace {

constexpr std::string_view kCrlf = "\r\n";
// Copied at once; what lies behind the section is cut off again, which is cheaper than a copy per
// line.
constexpr std::size_t kBlockBytes = 512;

}  // namespace

Section::Section(Kind kind, const Limits& limits)
    : kind_(kind),
      line_bytes_max_(std::min(limits.line_bytes_max, limits.head_bytes_max - 1)),
      section_bytes_max_(limits.head_bytes_max),
      lines_max_(limits.fields_max + (kind == Kind::kTrailer ? 0 : 1)) {}

void Section::reset() {
  line_start_ = 0;
  lines_ = 0;
  first_line_bytes_ = 0;
  refusal_ = Refusal::kNone;
}

Section::Step Section::read(std::string_view& input, std::string& bytes) {
  while (!input.empty()) {
    const std::size_t old_size = bytes.size();
    if (old_size == section_bytes_max_) {
      refusal_ = Refusal::kHeadTooLarge;
      return Step::kRefused;
    }
    const std::size_t room = section_bytes_max_ - old_size;
    const std::string_view block = input.substr(0, std::min(kBlockBytes, room));
    bytes.append(block);
    const Step step = scan(bytes, old_size);
    if (step == Step::kEnd) bytes.resize(line_start_);
    input.remove_prefix(bytes.size() - old_size);
    if (step != Step::kNeedMore) return step;
  }
  return Step::kNeedMore;
}

// Judges the lines that the bytes from `from` on extend or begin. kEnd: the section ends at
// line_start_.
Section::Step Section::scan(std::string_view bytes, std::size_t from) {
  const char* const end = bytes.data() + bytes.size();
  const char* line = bytes.data() + line_start_;
  for (const char* at = bytes.data() + from; at != end; at = line) {
    const auto* const lf =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const auto size = static_cast<std::size_t>((lf == nullptr ? end : lf + 1) - line);
    refusal_ = judge_beginning(*line, size);
    if (refusal_ != Refusal::kNone) return Step::kRefused;
    if (lf == nullptr) break;
    const bool empty_line = *line == '\r';
    if (lf[-1] != '\r' || (empty_line && size != kCrlf.size())) {
      refusal_ = malformed();
      return Step::kRefused;
    }
    line_start_ += size;
    if (empty_line) return Step::kEnd;
    if (++lines_ == 1) first_line_bytes_ = size;
    line = lf + 1;
  }
  return Step::kNeedMore;
}

// Judges a line, or the part of it that is here, by its first byte and its size so far. The order
// of the checks is the order of the bytes that trip them: that is what makes the verdict
// independent of splits.
inline Refusal Section::judge_beginning(char first, std::size_t size) const {
  if (lower_token(first) == 0) [[unlikely]] {
    if (first != '\r' || at_start_line()) return malformed();
  } else if (lines_ >= lines_max_) [[unlikely]] {
    return Refusal::kTooManyFields;
  }
  return size > line_bytes_max_ && at_start_line() ? Refusal::kLineTooLong : Refusal::kNone;
}

Refusal Section::malformed() const {
  if (!at_start_line()) return Refusal::kBadField;
  return kind_ == Kind::kRequestHead ? Refusal::kBadRequestLine : Refusal::kBadStatusLine;
}

}  // namespace slipstream::http
