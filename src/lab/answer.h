// The stub's generated answers: fills the patterns of a call's dialect (lab/dialect.h).
// Everything is deterministic: times are constants, ids and tokens name the call.
// Pure: appends to strings. Thread rule: a value, one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lab/dialect.h"
#include "lab/stub_request.h"

namespace slipstream::lab {

class AnswerWriter {
 public:
  // `tokens` per choice; `token_bytes` as in StubScript.
  AnswerWriter(const StubRequest& request, std::uint64_t call, int tokens, int token_bytes);

  // What a stream shows of one step, framed: kHead (what opens the answer) to kErrorEvent. Appends
  // nothing where the dialect has nothing to say. Precondition: not a last step.
  void append(std::string& out, StepKind kind, int token = 0);

  // The answer that is not streamed: its text is the concatenation of the same tokens.
  std::string whole();

  std::string_view stream_type() const;
  std::string_view whole_type() const;
  const Dialect& dialect() const { return *dialect_; }

  // How many tokens the whole answer has, all choices together.
  std::uint64_t tokens_total() const {
    return static_cast<std::uint64_t>(tokens_) * static_cast<std::uint64_t>(choices_);
  }
  int choices() const { return choices_; }

 private:
  Events events_of(StepKind kind) const;
  void append_event(std::string& out, const Event& event);
  void append_filled(std::string& out, std::string_view pattern);
  void put(std::string& out, char gap);
  void append_choices(std::string& out);
  void append_token(std::string& out, int index) const;

  const Dialect* dialect_;
  TextForm form_;
  std::uint64_t call_;
  int choices_;
  int tokens_;
  int token_bytes_;
  std::uint64_t prompt_tokens_;
  Finish finish_;
  std::string model_;   // quoted
  std::string shared_;  // fragment $S
  std::uint64_t sequence_ = 0;
  int token_ = 0;  // what the pattern being filled is about
  int choice_ = 0;
};

}  // namespace slipstream::lab
