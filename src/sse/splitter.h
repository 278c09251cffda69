// Splits an event stream (WHATWG HTML section 9.2), or a stream of lines (NDJSON), into whole
// events without changing a byte.
//
// The concatenation of all raw events plus rest() is the input, whatever its splits; the sequence
// of events is the same for every split. A blank line that ends in CR at the end of the input waits
// for the next byte (an LF may belong to it) or for finish(); a line of NDJSON ends in LF alone,
// because a CR may stand between JSON tokens. Zero copy: an event that lies whole
// in one input is returned as a view into that input; only an event that spans inputs is buffered.
// One thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace slipstream::sse {

// One raw event: bytes up to and including its blank line, or the line's end. Also comment blocks
// and bare blank lines.
struct Event {
  std::string_view raw;
  bool only_comments = false;  // no field line in it: a keep-alive
};

class Splitter {
 public:
  // kTooLong: one event holds more than event_bytes_max bytes. Final: nothing else follows.
  enum class Step { kNeedMore, kEvent, kTooLong };

  enum class Unit { kEvent, kLine };

  explicit Splitter(std::size_t event_bytes_max = 4 * 1024 * 1024, Unit unit = Unit::kEvent)
      : event_bytes_max_(event_bytes_max), unit_(unit) {}

  // Consumes from the front of `input`. kEvent: `event` is filled; its views live until the next
  // call of any method, or as long as the input they point into. kNeedMore: `input` is empty.
  Step next(std::string_view& input, Event& event);

  // The stream ended. kEvent if what is left forms a whole event now; otherwise kNeedMore and
  // rest() holds the unfinished bytes.
  Step finish(Event& event);
  std::string_view rest() const { return delivered_ ? std::string_view() : pending_; }

 private:
  enum class End { kOpen, kFinal };  // may more bytes follow the ones that are here?

  std::size_t find_line_end(std::string_view text, std::size_t from) const;
  // Scans what is known of the current event; its length if it is whole, 0 if it is not.
  std::size_t advance(std::string_view known, End end);
  Step join(std::string_view& input, Event& event);
  Step deliver(std::string_view raw, Event& event);
  Step too_long();

  std::size_t event_bytes_max_;
  Unit unit_;
  std::string pending_;      // the current event's bytes from inputs before this one
  bool delivered_ = false;   // pending_ was handed out and is void at the next call
  bool too_long_ = false;    // final
  bool first_event_ = true;  // a byte order mark may stand in front of it
  bool has_fields_ = false;  // of the current event, as are the two offsets
  std::size_t line_start_ = 0;
  std::size_t scanned_ = 0;
};

// The value of an event: the fields a client would see. `data` is the data lines joined by LF,
// written into `scratch` only if there is more than one data line; a view into raw otherwise.
// A byte order mark at the front of `raw` is skipped. Never fails: unknown lines are ignored.
struct Fields {
  std::string_view event;  // last "event" field, empty if absent
  std::string_view data;
  bool has_data = false;
};
Fields parse_fields(std::string_view raw, std::string& scratch);

}  // namespace slipstream::sse
