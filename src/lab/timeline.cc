#include "lab/timeline.h"

#include <algorithm>

namespace slipstream::lab {

Timeline::Timeline(const StubScript& script, Delivery delivery, UsageChunk usage,
                   Duration load_wait)
    : script_(script), delivery_(delivery), usage_(usage), load_wait_(load_wait) {}

Step Timeline::next() {
  switch (phase_) {
    case Phase::kOpening:
      return open();
    case Phase::kTokens:
      return token();
    case Phase::kUsage:
      phase_ = Phase::kDone;
      if (usage_ == UsageChunk::kSent) return {.kind = StepKind::kUsage};
      [[fallthrough]];
    case Phase::kDone:
      phase_ = Phase::kEnd;
      return {.kind = StepKind::kDone};
    case Phase::kEnd:
      break;
  }
  return {.kind = StepKind::kEnd};
}

Step Timeline::open() {
  if (script_.error) return {.kind = StepKind::kError};
  if (script_.silence_after == StubScript::kAtHead) return {.kind = StepKind::kSilence};
  if (delivery_ == Delivery::kWhole) return whole();
  phase_ = Phase::kTokens;
  return {.kind = StepKind::kHead, .after = load_wait_};
}

Step Timeline::whole() {
  Step step{
      .kind = StepKind::kAnswer,
      .after = load_wait_ + script_.first + script_.interval * std::max(script_.tokens - 1, 0)};
  if (script_.silence_after >= 0) step.kind = StepKind::kSilence;
  if (script_.error_event >= 0) step.kind = StepKind::kError;
  if (script_.cut >= 0) step.kind = cut().kind;
  return step;
}

Step Timeline::cut() const {
  switch (script_.cut_as) {
    case CutAs::kFin:
      return {.kind = StepKind::kCutFin};
    case CutAs::kReset:
      return {.kind = StepKind::kCutReset};
    case CutAs::kEnd:
      break;
  }
  return {.kind = StepKind::kEnd};
}

Step Timeline::token() {
  if (script_.cut == sent_) return cut();
  if (script_.silence_after == sent_) return {.kind = StepKind::kSilence};
  if (script_.error_event == sent_) {
    // vLLM ends a failed stream with the error object and [DONE] all the same.
    phase_ = Phase::kDone;
    return {.kind = StepKind::kErrorEvent};
  }
  if (sent_ == script_.tokens) {
    phase_ = Phase::kUsage;
    return {.kind = StepKind::kFinish};
  }
  const Duration left = (sent_ == 0 ? script_.first : script_.interval) - waited_;
  if (script_.comments > Duration{} && left > script_.comments) {
    waited_ += script_.comments;
    return {.kind = StepKind::kComment, .after = script_.comments};
  }
  waited_ = {};
  return {.kind = StepKind::kToken, .after = left, .token = sent_++};
}

}  // namespace slipstream::lab
