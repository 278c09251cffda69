// Judges one answer after another on a client connection: bytes in, verdict out.
//
// Nothing passes unread: HTTP framing, status and type, the event stream, each event's JSON, the
// tokens of every choice, finish reasons and [DONE]. The first defect decides.
// Pure. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/parser.h"
#include "json/canonical.h"
#include "lab/defect.h"
#include "lab/timeline.h"
#include "lab/token.h"
#include "sse/splitter.h"

namespace slipstream::lab {

// Whose tokens the answers must consist of.
enum class TokenCheck { kStub, kNone };

struct Answer {
  Defect defect = Defect::kNone;
  std::string detail;  // of a defect: what was seen, at most kDetailMax bytes
  Role role = Role::kUnknown;
  int status = 0;
  std::optional<std::uint64_t> call;  // the stub's generation
  std::uint64_t tokens = 0;           // per choice, of the first choice
  std::uint64_t content_events = 0;   // events with text; 1 once a whole answer's body began
  // Of the body without framing and comments: equal for all callers of one generation.
  std::uint64_t body_hash = 0;
  std::uint64_t body_bytes = 0;

  static constexpr std::size_t kDetailMax = 200;
};

class AnswerChecker {
 public:
  AnswerChecker(Delivery delivery, TokenCheck tokens);

  // Before each answer. Precondition: none before, or the last one was kComplete.
  void begin();

  enum class State {
    kReading,
    kComplete,  // the message is over; answer().defect says whether it was sound
    kFailed,    // a defect in its middle: the connection is of no use any more
  };
  State feed(std::string_view bytes);
  // The peer closed its side, or the connection broke.
  State finish();
  // The caller leaves in the middle: judges the tokens so far.
  void leave();

  bool keep_alive() const { return keep_alive_; }  // meaningful with kComplete
  const Answer& answer() const { return answer_; }

 private:
  struct Choice {
    TokenTrail trail;
    bool finished = false;
  };

  void take_head();
  void take_body(std::string_view bytes);
  void take_event(std::string_view raw);
  void take_object(std::string_view text);
  void take_choice(std::string_view choice);
  void take_text(Choice& choice, std::string_view text);
  void adopt_call(const TokenTrail& trail);
  void conclude();
  void conclude_stream();
  void conclude_tokens();
  void judge(TokenTrail::State state);
  void hash(std::string_view bytes);
  void fail(Defect defect, std::string_view detail);
  State state() const;

  Delivery delivery_;
  TokenCheck token_check_;
  http::Parser parser_;
  sse::Splitter splitter_;
  json::Canonicalizer canonicalizer_;
  std::string canonical_;  // scratch
  std::string scratch_;
  std::string body_;  // of an answer that is not streamed, or no 200
  std::vector<Choice> choices_;
  Answer answer_;
  bool headed_ = false;
  bool interim_ = false;
  bool complete_ = false;
  bool done_ = false;
  bool keep_alive_ = false;
};

}  // namespace slipstream::lab
