// What the stub says and the loader expects: one fixed wire format, so that neither has to parse.
//
// Every event of a streamed answer is exactly kEventBytes long and carries the CLOCK_MONOTONIC time
// at which the stub sent it at a fixed place; event i ends at body offset (i + 1) * kEventBytes.
// After the last event comes a fixed tail: a chunk with a finish reason, then the terminal marker.
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipstream::bench {

inline constexpr std::size_t kEventBytes = 200;
inline constexpr std::size_t kStampOffset = 13;  // behind `data: {"id":"`
inline constexpr std::size_t kStampDigits = 19;

// An answer that a model name `stub-D-K-I` asks for.
struct Script {
  std::uint64_t delay_ms = 0;     // D: until the answer begins
  std::uint64_t events = 0;       // K: streamed events; 0 = one JSON answer
  std::uint64_t interval_ms = 0;  // I: between events
};

// The script in `text` (a whole body or a model name); nothing if there is none.
std::optional<Script> find_script(std::string_view text);

// One event with a zero stamp, exactly kEventBytes long.
std::string event_template();
// Writes / reads the stamp of an event. Precondition: `event` points at kEventBytes bytes.
void put_stamp(char* event, std::uint64_t send_ns);
std::uint64_t read_stamp(const char* event);

// The end of every stream: finish reason, then the marker.
std::string_view stream_tail();
// Bytes of a whole streamed answer with `events` events, without transport framing.
std::size_t stream_bytes(std::uint64_t events);

// A chat.completion of about 620 bytes with finish_reason "stop".
std::string_view json_answer();

// A chat request of about 1 KB (head and body in wire form) whose prompt can be made unique.
class RequestTemplate {
 public:
  // Adds `extra_header` (a whole line with CRLF, or empty) to the head.
  RequestTemplate(std::string_view model, std::string_view extra_header);
  // The request with `serial` in its prompt. The view lives until the next call.
  std::string_view with(std::uint64_t serial);

 private:
  std::string text_;
  std::size_t serial_at_ = 0;
};

}  // namespace slipstream::bench
