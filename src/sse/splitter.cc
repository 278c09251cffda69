#include "sse/splitter.h"

#include <algorithm>
#include <cstring>

namespace slipstream::sse {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kNone = std::string_view::npos;

std::size_t find_byte(std::string_view text, char c, std::size_t from = 0) {
  if (from >= text.size()) return kNone;
  const void* at = std::memchr(text.data() + from, c, text.size() - from);
  return at == nullptr ? kNone
                       : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

// The first CR or LF from `from` on. Two passes at memchr's speed, in windows: a stream that uses
// only one of the two must not make every search run to the end of the input.
std::size_t find_any_line_end(std::string_view text, std::size_t from) {
  constexpr std::size_t kWindowBytes = 512;
  for (; from < text.size(); from += kWindowBytes) {
    const std::string_view window = text.substr(from, kWindowBytes);
    const std::size_t lf = find_byte(window, '\n');
    const std::size_t cr = find_byte(window.substr(0, lf), '\r');
    if (cr != kNone) return from + cr;
    if (lf != kNone) return from + lf;
  }
  return kNone;
}

// The offset behind the line end at `at`.
std::size_t behind_line_end(std::string_view text, std::size_t at) {
  const bool crlf = text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
  return at + (crlf ? 2 : 1);
}

std::string_view without_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

}  // namespace

std::size_t Splitter::find_line_end(std::string_view text, std::size_t from) const {
  return unit_ == Unit::kLine ? find_byte(text, '\n', from) : find_any_line_end(text, from);
}

Splitter::Step Splitter::next(std::string_view& input, Event& event) {
  if (too_long_) return Step::kTooLong;
  if (delivered_) {
    pending_.clear();
    delivered_ = false;
  }
  if (input.empty()) return Step::kNeedMore;
  if (!pending_.empty()) return join(input, event);

  const std::size_t length = advance(input, End::kOpen);
  if (std::max(length, length == 0 ? input.size() : 0) > event_bytes_max_) return too_long();
  if (length == 0) {
    pending_ = input;
    input = {};
    return Step::kNeedMore;
  }
  const std::string_view raw = input.substr(0, length);
  input.remove_prefix(length);
  return deliver(raw, event);
}

// The current event began in an earlier input: takes line by line until it is whole, so that no
// byte of the next event is copied.
Splitter::Step Splitter::join(std::string_view& input, Event& event) {
  while (!input.empty()) {
    const std::size_t line_end = find_line_end(input, 0);
    const std::string_view piece =
        input.substr(0, line_end == kNone ? input.size() : behind_line_end(input, line_end));
    const std::size_t before = pending_.size();
    pending_.append(piece);
    const std::size_t length = advance(pending_, End::kOpen);
    if ((length != 0 ? length : pending_.size()) > event_bytes_max_) return too_long();
    if (length != 0) {
      input.remove_prefix(length - before);  // 0 if a CR before `piece` turns out to be the end
      pending_.resize(length);
      delivered_ = true;
      return deliver(pending_, event);
    }
    input.remove_prefix(piece.size());
  }
  return Step::kNeedMore;
}

Splitter::Step Splitter::finish(Event& event) {
  if (too_long_) return Step::kTooLong;
  if (delivered_ || pending_.empty()) return Step::kNeedMore;
  if (advance(pending_, End::kFinal) == 0) return Step::kNeedMore;
  delivered_ = true;
  return deliver(pending_, event);
}

std::size_t Splitter::advance(std::string_view known, End end) {
  for (;;) {
    const std::size_t at = find_line_end(known, scanned_);
    if (at == kNone) {
      scanned_ = known.size();
      return 0;
    }
    if (known[at] == '\r' && at + 1 == known.size() && end == End::kOpen) {
      scanned_ = at;  // an LF may belong to it
      return 0;
    }
    std::string_view line = known.substr(line_start_, at - line_start_);
    if (first_event_ && line_start_ == 0) line = without_mark(line);
    line_start_ = scanned_ = behind_line_end(known, at);
    if (line.empty()) return line_start_;
    has_fields_ |= line.front() != ':';
    if (unit_ == Unit::kLine) return line_start_;
  }
}

Splitter::Step Splitter::deliver(std::string_view raw, Event& event) {
  event = {raw, !has_fields_};
  first_event_ = false;
  has_fields_ = false;
  line_start_ = scanned_ = 0;
  return Step::kEvent;
}

Splitter::Step Splitter::too_long() {
  too_long_ = true;
  pending_ = std::string();  // gives a large buffer back
  return Step::kTooLong;
}

Fields parse_fields(std::string_view raw, std::string& scratch) {
  Fields fields;
  std::size_t data_lines = 0;
  for (std::string_view left = without_mark(raw); !left.empty();) {
    const std::size_t end = std::min(find_any_line_end(left, 0), left.size());
    const std::string_view line = left.substr(0, end);
    left.remove_prefix(end == left.size() ? end : behind_line_end(left, end));

    const std::size_t colon = std::min(find_byte(line, ':'), line.size());
    const std::string_view name = line.substr(0, colon);
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "event") fields.event = value;
    if (name != "data") continue;
    if (++data_lines == 1) {
      fields.data = value;
      continue;
    }
    if (data_lines == 2) scratch = fields.data;
    scratch += '\n';
    scratch += value;
    fields.data = scratch;
  }
  fields.has_data = data_lines != 0;
  return fields;
}

}  // namespace slipstream::sse
