// Finds the few facts of an answer that decide what it is, in one forward pass over its JSON. What
// a fact means on which surface is judge.cc's.
//
// The text is neither copied nor padded. It is JSON as far as json::Cursor checks it: whole, with
// brackets and quotes that pair up and nothing behind it. What was not looked for may be misspelt,
// and text need not be UTF-8: a server that cuts a character in two has said a token all the same.
//
// Owned by judge.cc; nobody else needs it. Keeps a little memory for escaped names between calls:
// no allocation once warm. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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
  std::string_view type;  // what the object calls itself: of the
                          // text, or until the next scan
  Usage usage;
  bool error = false;
  int error_status = 0;  // what the error object implies; 0: nothing
  int top_status = 0;    // the same read from the top level, for bare error objects
};

class AnswerScan {
 public:
  // False if `text` is no whole JSON object; `facts` is then meaningless. Precondition: `facts` is
  // as constructed.
  bool scan(std::string_view text, AnswerFacts& facts);

 private:
  std::string scratch_;
  std::string type_;  // holds facts.type if it was escaped
};

}  // namespace slipstream::contract
