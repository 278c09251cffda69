// Reads one head into a Head: Section gathers it, llhttp (strict mode) parses it, and the guard
// here refuses what llhttp 8.1 still accepts. The start line is read by both, the fields are cut
// where llhttp says, its spans must tile the gathered bytes without a gap, and both must find the
// same framing. A head is parsed in one piece and in the Head's own buffer: no second copy, and no
// way for a split to matter. One thread at a time.
#pragma once

#include <string_view>

#include "http/head.h"
#include "http/limits.h"
#include "http/refusal.h"
#include "http/section.h"

namespace slipstream::http {

class HeadReader {
 public:
  enum class Kind { kRequest, kResponse };
  enum class Step { kNeedMore, kHead, kRefused };

  HeadReader(Kind kind, const Limits& limits);

  // Consumes from the front of `input`. Precondition: `head` is clear at the first call of a
  // message and the same object until kHead.
  Step read(std::string_view& input, Head& head);
  Refusal refusal() const { return refusal_; }

 private:
  Refusal parse(Head::Data& head) const;
  static Refusal read_request_line(Head::Data& head, std::string_view line);
  static Refusal read_status_line(Head::Data& head, std::string_view line);

  Kind kind_;
  Section section_;
  Refusal refusal_ = Refusal::kNone;
};

// True for "name: value" with a token for its name and field text for its value (without CRLF).
bool is_field_line(std::string_view line);

}  // namespace slipstream::http
