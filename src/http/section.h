// Gathers a head or a trailer section: lines that end in CRLF, up to and with the empty line.
//
// Refuses at the first byte that breaks a bound or the shape of lines: bare LF, folded lines
// (obs-fold), empty names. What stands inside a line is judged by who asked for the section.
// The verdict depends on the bytes alone, never on how they were split. One thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/limits.h"
#include "http/refusal.h"

namespace slipstream::http {

class Section {
 public:
  enum class Kind { kRequestHead, kResponseHead, kTrailer };
  enum class Step { kNeedMore, kEnd, kRefused };

  Section(Kind kind, const Limits& limits);

  // Appends to `bytes` what belongs to the section and removes it from the front of `input`. kEnd:
  // `bytes` is the whole section. Precondition: `bytes` was empty at the first call.
  Step read(std::string_view& input, std::string& bytes);

  void reset();
  Refusal refusal() const { return refusal_; }
  std::size_t lines() const { return lines_; }  // without the empty one
  // The first line with its CRLF, once it is whole.
  std::size_t first_line_bytes() const { return first_line_bytes_; }

 private:
  Step scan(std::string_view bytes, std::size_t from);
  Refusal judge_beginning(char first, std::size_t size) const;
  bool at_start_line() const { return lines_ == 0 && kind_ != Kind::kTrailer; }
  Refusal malformed() const;

  Kind kind_;
  std::size_t line_bytes_max_;
  std::size_t section_bytes_max_;
  std::size_t lines_max_;
  std::size_t line_start_ = 0;
  std::size_t lines_ = 0;
  std::size_t first_line_bytes_ = 0;
  Refusal refusal_ = Refusal::kNone;
};

}  // namespace slipstream::http
