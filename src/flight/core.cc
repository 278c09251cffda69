#include "flight/core.h"

#include <algorithm>

#include "base/check.h"

namespace slipstream::flight {

std::string_view to_string(State state) {
  switch (state) {
    case State::kOpening:
      return "opening";
    case State::kHeaded:
      return "headed";
    case State::kStreaming:
      return "streaming";
    case State::kComplete:
      return "complete";
    case State::kFailed:
      return "failed";
    case State::kAbandoned:
      return "abandoned";
  }
  return "unknown";
}

JoinRefusal Core::join(Time now, const Bounds& bounds, std::uint64_t log_bytes, Duration max_age) {
  if (terminal()) return JoinRefusal::kTerminal;
  const Duration age = now - opened_at_;
  if (closed_ || age > bounds.join_window_age || log_bytes > bounds.join_window_bytes) {
    return JoinRefusal::kWindowClosed;
  }
  if (age > max_age) return JoinRefusal::kTooOldForCaller;
  if (subscribers_ >= bounds.subscribers_max) return JoinRefusal::kFull;
  ++subscribers_;
  ++joins_;
  grace_until_ = kNever;
  return JoinRefusal::kNone;
}

Core::OnLeave Core::leave(Time now, const Bounds& bounds) {
  SLIP_CHECK(subscribers_ > 0);
  if (--subscribers_ > 0 || terminal()) return OnLeave::kNothing;
  const Duration grace =
      std::min(bounds.grace_max, (now - opened_at_) * bounds.grace_percent / 100);
  // A flight that nobody can join would only wait for nobody.
  if (grace <= Duration::zero() || closed_) {
    state_ = State::kAbandoned;
    return OnLeave::kAbandon;
  }
  grace_until_ = now + grace;
  return OnLeave::kStartGrace;
}

Core::OnGrace Core::grace_over(Time now) {
  if (terminal() || !in_grace() || now < grace_until_) return OnGrace::kNothing;
  SLIP_CHECK(subscribers_ == 0);
  state_ = State::kAbandoned;
  return OnGrace::kAbandon;
}

bool Core::start_attempt() {
  if (state_ != State::kOpening || attempts_ > retries_) return false;
  ++attempts_;
  return true;
}

void Core::headed() {
  if (state_ == State::kOpening) state_ = State::kHeaded;
}

void Core::commit() {
  if (!terminal()) state_ = State::kStreaming;
}

Core::OnFailure Core::attempt_failed(Transience transience, Budget budget) {
  if (terminal()) return OnFailure::kFail;
  const bool may_retry = !committed() && transience == Transience::kTransient &&
                         budget == Budget::kGranted && retries_ < kRetriesMax && subscribers_ > 0;
  if (may_retry) ++retries_;
  state_ = may_retry ? State::kOpening : State::kFailed;
  return may_retry ? OnFailure::kRetry : OnFailure::kFail;
}

void Core::complete() {
  SLIP_CHECK(state_ == State::kStreaming);
  state_ = State::kComplete;
}

void Core::fail() {
  if (!terminal()) state_ = State::kFailed;
}

}  // namespace slipstream::flight
