// A script as the sequence of things that happen in one call, each with the wait before it.
//
// Pure: no time, no I/O. The sequence always ends with a step for which is_last() holds.
// Thread rule: a value, one thread at a time.
#pragma once

#include "lab/script.h"

namespace slipstream::lab {

enum class Delivery { kStreamed, kWhole };
enum class UsageChunk { kOmitted, kSent };

enum class StepKind {
  kHead,        // head of an event stream
  kToken,       // the event (one per choice) of token Step::token
  kComment,     // a comment line that keeps the connection alive
  kFinish,      // finish reasons of all choices
  kUsage,       // the usage chunk
  kDone,        // [DONE]
  kErrorEvent,  // an error object inside the stream
  // last steps
  kEnd,     // clean end of the body
  kAnswer,  // the whole answer, not streamed
  kError,   // an error answer with StubScript::error (500 for a fault that had a stream in mind)
  kCutFin,
  kCutReset,
  kSilence,  // nothing more; the connection stays
};

constexpr bool is_last(StepKind kind) {
  return kind >= StepKind::kEnd;
}

struct Step {
  StepKind kind = StepKind::kEnd;
  Duration after{};  // since the step before it
  int token = 0;
};

class Timeline {
 public:
  // `script.tokens` already holds what the request asked for; `load_wait` is what is left of the
  // model's load time.
  Timeline(const StubScript& script, Delivery delivery, UsageChunk usage, Duration load_wait);

  // Precondition: the step before was not a last one.
  Step next();

 private:
  enum class Phase { kOpening, kTokens, kUsage, kDone, kEnd };

  Step open();
  Step whole();
  Step token();
  Step cut() const;

  StubScript script_;
  Delivery delivery_;
  UsageChunk usage_;
  Duration load_wait_;
  Phase phase_ = Phase::kOpening;
  int sent_ = 0;       // tokens
  Duration waited_{};  // of the wait before token sent_, already spent in comments
};

}  // namespace slipstream::lab
