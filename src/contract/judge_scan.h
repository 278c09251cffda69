// Finds the few facts of an answer that decide what it is, in one forward pass over its JSON. What
// a fact means on which surface is judge.cc's.
//
// Owned by judge.cc; nobody else needs it. Keeps its parser and a padded copy of the text between
// calls: no allocation once warm. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "contract/judge.h"

namespace slipstream::contract {

struct AnswerFacts {
  bool choices = false;                // at least one
  bool tokens = false;                 // content, reasoning, a call or a refusal: in a delta, in
                                       // Ollama's message, in a completion's text
  std::uint64_t choices_seen = 0;      // bit per index
  std::uint64_t choices_finished = 0;  // bit per index with a finish reason
  bool many_choices = false;           // an index that has no bit
  bool all_finished = true;            // each choice of this text has a finish reason
  bool ended = false;     // Ollama's done, a message's stop reason, a response's last status
  std::string_view type;  // what the object calls itself; until the next scan
  Usage usage;
  bool error = false;
  int error_status = 0;  // what the error object implies; 0: nothing
  int top_status = 0;    // the same read from the top level, for bare error objects
};

class AnswerScan {
 public:
  AnswerScan();
  ~AnswerScan();

  // False if `text` is no whole JSON object; `facts` is then meaningless.
  bool scan(std::string_view text, AnswerFacts& facts);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace slipstream::contract
