// Reads the HTTP/1.1 answers of the measured servers: status, and the body's bytes without framing.
//
// One reader per connection; one thread. It trusts the server more than a gateway may: it checks
// framing only as far as a benchmark needs to know that an answer was complete.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace slipstream::bench {

class ResponseReader {
 public:
  enum class State { kReading, kDone, kBroken };

  // Takes bytes as they came and calls on_body(std::string_view) for each run of body bytes.
  // kDone: the answer is whole; start() before the next. Bytes behind a whole answer are kBroken.
  template <typename OnBody>
  State feed(std::string_view bytes, OnBody&& on_body);

  // The state at the connection's end: only an answer without framing ends well there.
  State at_eof() const { return phase_ == Phase::kUntilClose ? State::kDone : State::kBroken; }

  void start() { *this = ResponseReader(); }
  int status() const { return status_; }

 private:
  enum class Phase {
    kHead,
    kLength,
    kChunkSize,
    kChunk,
    kChunkEnd,
    kTrailer,
    kUntilClose,
    kDone,
    kBroken
  };

  // Both take from the front of `bytes` what they need.
  void take_head(std::string_view& bytes);
  void take_line(std::string_view& bytes);
  void on_line();

  Phase phase_ = Phase::kHead;
  int status_ = 0;
  std::size_t left_ = 0;  // bytes left of the body (kLength) or chunk (kChunk)
  std::string line_;      // head, chunk-size line or trailer line that is not whole yet
};

template <typename OnBody>
ResponseReader::State ResponseReader::feed(std::string_view bytes, OnBody&& on_body) {
  while (!bytes.empty()) {
    switch (phase_) {
      case Phase::kHead:
        take_head(bytes);
        break;
      case Phase::kLength:
      case Phase::kChunk: {
        const std::size_t run = std::min(left_, bytes.size());
        on_body(bytes.substr(0, run));
        bytes.remove_prefix(run);
        left_ -= run;
        if (left_ == 0) phase_ = phase_ == Phase::kLength ? Phase::kDone : Phase::kChunkEnd;
        break;
      }
      case Phase::kUntilClose:
        on_body(bytes);
        bytes = {};
        break;
      case Phase::kChunkSize:
      case Phase::kChunkEnd:
      case Phase::kTrailer:
        take_line(bytes);
        break;
      case Phase::kDone:
        phase_ = Phase::kBroken;
        break;
      case Phase::kBroken:
        return State::kBroken;
    }
  }
  if (phase_ == Phase::kBroken) return State::kBroken;
  return phase_ == Phase::kDone ? State::kDone : State::kReading;
}

}  // namespace slipstream::bench
