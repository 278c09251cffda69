// What an answer says about itself: does it carry tokens, did it finish, is it an error?
//
// Success of a stream is semantic (DESIGN: whole / claimed / cut): the transport ended, every
// choice has a finish reason (or the surface's own last event came), and the terminal marker may be
// missing but is never invented.
//
//   surface                      a token                    whole
//   chat, completions            choices[].delta, .text     a finish reason for every choice
//   responses                    response.*.delta           response.completed, .incomplete
//   messages                     content_block_delta        message_stop
//   ollama_chat, ollama_generate message, response          done: true
//   transcriptions               transcript.text.delta      transcript.text.done, or as chat (vLLM)
//
// Pure; one Judge per attempt; one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "contract/contract.h"
#include "contract/surface.h"

namespace slipstream::contract {

// What one whole event of a stream is.
enum class EventKind {
  kComment,   // only comment lines, an empty line, a ping: activity, not a first token
  kPreamble,  // role or empty delta, an event about the answer to come: not yet semantic
  kSemantic,  // content, reasoning, tool call, refusal, finish reason: the commit point
  kUsage,     // usage chunk with no choices
  kDone,      // data: [DONE], or the surface's last event
  kError,     // in-band error object (openai {"error":{...}}, tgi and ollama {"error":"text"},
              // event: error, response.failed)
  kOther,     // anything else: forwarded verbatim, neither token nor end
};

// How a stream that reached the transport's end must be told.
enum class Ending {
  kWhole,    // a finish reason for every choice seen (marker or not); the surface's last event
  kClaimed,  // the marker [DONE], but a finish reason is missing
  kCut,      // neither: a failure, also after a clean transport end
};

struct Usage {
  std::uint64_t prompt_tokens = 0;
  std::uint64_t completion_tokens = 0;
  bool known = false;
};

class AnswerScan;
struct AnswerFacts;

// The parser and memory that judging needs, warm after the first use. One per worker: judges of
// many streams take turns with it, each for one event.
class JudgeMemory {
 public:
  JudgeMemory();
  ~JudgeMemory();
  JudgeMemory(const JudgeMemory&) = delete;
  JudgeMemory& operator=(const JudgeMemory&) = delete;

 private:
  friend class StreamJudge;
  friend struct BodyJudgement judge_body(std::string_view body, Surface surface,
                                         JudgeMemory& memory);
  std::unique_ptr<AnswerScan> scan_;
  std::string scratch_;
};

class StreamJudge {
 public:
  // `memory` outlives the judge.
  StreamJudge(JudgeMemory& memory, Surface surface);
  ~StreamJudge();
  StreamJudge(StreamJudge&&) noexcept;
  StreamJudge& operator=(StreamJudge&&) noexcept;

  // `raw`: one whole event or line as sse::Splitter delivers it. An event whose data is no JSON
  // object leaves the judgement as it was.
  EventKind observe(std::string_view raw);
  Ending ending() const;  // if the transport ended cleanly now
  bool done_seen() const { return done_; }
  const Usage& usage() const { return usage_; }
  // After kError: an HTTP status that the error object implies (code or type), 502 if none.
  int error_status() const { return error_status_; }
  // Events that carried tokens: the fallback when no usage chunk tells.
  std::uint64_t semantic_events() const { return semantic_events_; }

 private:
  EventKind observe_json(std::string_view event, std::string_view data);
  EventKind kind_of(const AnswerFacts& facts, std::string_view name) const;

  JudgeMemory* memory_;
  Surface surface_;
  Usage usage_;
  std::uint64_t semantic_events_ = 0;
  std::uint64_t choices_seen_ = 0;  // bit per choice index, below 64
  std::uint64_t choices_finished_ = 0;
  int error_status_ = 502;
  bool done_ = false;
  bool ended_ = false;         // the surface's last event was seen
  bool many_choices_ = false;  // an index of 64 or more: never judged whole
  bool error_ = false;         // an error object was seen: never judged whole either
};

// What a complete non-streamed answer with status 200 says. A body that is no JSON object is
// neither an error nor finished (also where the surface's answers may be arrays or plain text:
// nobody but the framing can tell whether those are whole).
struct BodyJudgement {
  bool error = false;  // a top-level error object in a 200 answer
  int error_status = 502;
  // A finish reason for every choice, or the surface's own word for it; where an answer has no
  // such word, that it is a whole object.
  bool finished = false;
  Usage usage;
};
BodyJudgement judge_body(std::string_view body, Surface surface, JudgeMemory& memory);

// False only if judge_body would find no error: a cheap filter before it, for answers that nothing
// else is asked about. True proves nothing. The same for every surface.
bool may_be_error(std::string_view body);

}  // namespace slipstream::contract
