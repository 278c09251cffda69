// Splits an event stream (WHATWG HTML section 9.2) into whole events without changing a byte.
//
// The concatenation of all raw events plus rest() is the input, whatever its splits; the sequence of
// events is the same for every split. A blank line that ends in CR at the end of the input waits for
// the next byte (an LF may belong to it) or for finish().
// Zero copy: an event that lies whole in one input is returned as a view into that input; only an
// event that spans inputs is buffered. One thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace slipstream::sse {

// One raw event: bytes up to and including its blank line. Also comment blocks and bare blank lines.
struct Event {
  std::string_view raw;
  bool only_comments = false;  // no field line in it: a keep-alive
};

class Splitter {
 public:
  enum class Step { kNeedMore, kEvent, kTooLong };

  explicit Splitter(std::size_t event_bytes_max = 4 * 1024 * 1024) : event_bytes_max_(event_bytes_max) {}

  // Consumes from the front of `input`. kEvent: `event` is filled; its views live until the next
  // call of any method, or as long as the input they point into. kNeedMore: `input` is empty.
  Step next(std::string_view& input, Event& event);

  // The stream ended. kEvent if what is left forms a whole event now; otherwise kNeedMore and rest()
  // holds the unfinished bytes.
  Step finish(Event& event);
  std::string_view rest() const { return pending_; }

 private:
  std::size_t event_bytes_max_;
  std::string pending_;
  // The implementer's state follows.
};

// The value of an event: the fields a client would see. `data` is the data lines joined by LF,
// written into `scratch` only if there is more than one data line; a view into raw otherwise.
struct Fields {
  std::string_view event;  // last "event" field, empty if absent
  std::string_view data;
  bool has_data = false;
};
Fields parse_fields(std::string_view raw, std::string& scratch);

}  // namespace slipstream::sse
