// The stub's answers in OpenAI's shapes, written without a JSON library. Pure: appends to strings.
// Everything is deterministic: `created` is a constant, ids and tokens name the call.
// Thread rule: a value, one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lab/stub_request.h"

namespace slipstream::lab {

// Writes what belongs to one chat or completions call.
class AnswerWriter {
 public:
  // `tokens` per choice; `token_bytes` as in StubScript.
  AnswerWriter(const StubRequest& request, std::uint64_t call, int tokens, int token_bytes);

  // Events, each with its blank line.
  void append_token_events(std::string& out, int token) const;  // one per choice
  void append_finish_events(std::string& out) const;            // one per choice
  void append_usage_event(std::string& out) const;

  // The answer that is not streamed: its text is the concatenation of the same tokens.
  std::string whole() const;

  // How many tokens the whole answer has, all choices together.
  std::uint64_t tokens_total() const {
    return static_cast<std::uint64_t>(tokens_) * static_cast<std::uint64_t>(choices_);
  }
  int choices() const { return choices_; }

 private:
  void append_choice(std::string& out, int index, std::string_view text, bool finished) const;
  void append_usage(std::string& out) const;

  Surface surface_;
  std::uint64_t call_;
  int choices_;
  int tokens_;
  int token_bytes_;
  std::uint64_t prompt_tokens_;
  std::string_view finish_;
  std::string event_prefix_;  // up to and including "choices":[
  std::string whole_prefix_;
};

inline constexpr std::string_view kDoneEvent = "data: [DONE]\n\n";
inline constexpr std::string_view kCommentEvent = ": keep-alive\n\n";

// {"error":{...}} in OpenAI's shape; type and code follow from the status.
std::string error_object(int status, std::string_view message);
std::string embeddings_answer(const StubRequest& request, std::uint64_t call);
std::string models_answer(std::string_view model);

}  // namespace slipstream::lab
