#include "http/section.h"

#include <algorithm>

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
      line_bytes_max_(std::min(limits.line_bytes_max, limits.head_bytes_max)),
      section_bytes_max_(limits.head_bytes_max),
      lines_max_(limits.fields_max + (kind == Kind::kTrailer ? 0 : 1)) {}

void Section::reset() {
  line_start_ = 0;
  lines_ = 0;
  refusal_ = Refusal::kNone;
}

Section::Step Section::read(std::string_view& input, std::string& bytes) {
  while (!input.empty()) {
    const std::size_t old_size = bytes.size();
    const std::size_t room = section_bytes_max_ + 1 - old_size;  // one byte too many is refused
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
  while (from < bytes.size()) {
    const std::size_t lf = bytes.find('\n', from);
    from = lf == bytes.npos ? bytes.size() : lf + 1;
    const std::string_view line = bytes.substr(line_start_, from - line_start_);
    refusal_ = judge(line, from);
    if (refusal_ != Refusal::kNone) return Step::kRefused;
    if (lf == bytes.npos) break;
    line_start_ = from;
    if (line.size() == kCrlf.size()) return Step::kEnd;
    ++lines_;
  }
  return Step::kNeedMore;
}

// Judges a line or the part of it that is here. The order of the checks is the order of the bytes
// that trip them: that is what makes the verdict independent of splits.
Refusal Section::judge(std::string_view line, std::size_t section_bytes) const {
  const bool start_line = lines_ == 0 && kind_ != Kind::kTrailer;
  const Refusal malformed = !start_line                   ? Refusal::kBadField
                            : kind_ == Kind::kRequestHead ? Refusal::kBadRequestLine
                                                          : Refusal::kBadStatusLine;
  const char first = line.front();
  const bool empty_line = first == '\r' && !start_line;
  if (lower_token(first) == 0 && !empty_line) return malformed;
  if (lines_ >= lines_max_ && !empty_line) return Refusal::kTooManyFields;
  if (start_line && line.size() > line_bytes_max_) return Refusal::kLineTooLong;
  if (section_bytes > section_bytes_max_) return Refusal::kHeadTooLarge;
  if (line.back() != '\n') return Refusal::kNone;
  if (line[line.size() - 2] != '\r') return malformed;
  if (empty_line && line.size() != 2) return malformed;
  return Refusal::kNone;
}

}  // namespace slipstream::http
