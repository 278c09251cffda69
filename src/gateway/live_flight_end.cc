// The ending half of LiveFlight: failures and what becomes of them, completion, shutdown.
#include <algorithm>

#include "gateway/errors.h"
#include "gateway/live_flight.h"
#include "gateway/shared.h"
#include "gateway/worker.h"

namespace slipstream::gateway {

using flight::AnswerHead;
using flight::Core;
using flight::FlightEnding;
using telemetry::LabelledCounter;
using upstream::FailureClass;
using upstream::FailureRule;

namespace {
// What callers' libraries are told to wait after a transient failure that named no delay.
constexpr std::uint64_t kDefaultRetryAfterMs = 1000;

// The failure is what a complete answer says, not that there is none.
bool is_answer(FailureClass failure) {
  return failure == FailureClass::kRateLimited || failure == FailureClass::kUnavailable ||
         failure == FailureClass::kServerError || failure == FailureClass::kRejected ||
         failure == FailureClass::kInBandError;
}

}  // namespace

void LiveFlight::attempt_failed(FailureClass failure) {
  attempt_.reset();
  cause_ = to_string(failure);
  series_->add(LabelledCounter::kUpstreamFailures, static_cast<int>(failure));
  const FailureRule& rule = upstream::rule_of(failure);
  if (!is_answer(failure)) worker_.suspect_upstream();
  const config::Settings::Retry& retry = worker_.shared().settings.retry;
  const bool may_retry =
      rule.retry == FailureRule::Retry::kOnce && may_send_again(failure) && !committed_ &&
      retry.enabled &&
      mutable_head().retry_after_ms <= static_cast<std::uint64_t>(retry.after_max.count());
  const auto effect = worker_.shared().table.change(*this, [&](Core& core) {
    // Asked last: a token is only taken for a retry that is made.
    const bool granted =
        may_retry && core.attempts() == 1 && core.subscribers() > 0 &&
        (rule.budget == FailureRule::Budget::kFree ||
         worker_.retry_budget().take(worker_.now()) == upstream::RetryBudget::Grant::kGranted);
    return core.attempt_failed(
        rule.transient ? Core::Transience::kTransient : Core::Transience::kDeterministic,
        granted ? Core::Budget::kGranted : Core::Budget::kRefused);
  });
  if (effect == Core::OnFailure::kRetry) return retry_later(failure);
  if (committed_) return break_off(failure);
  publish_failure(failure);
}

// What never left can always be sent again; what left, only if it changes nothing.
bool LiveFlight::may_send_again(FailureClass failure) const {
  const bool never_left = failure == FailureClass::kResolve || failure == FailureClass::kConnect ||
                          failure == FailureClass::kTls || failure == FailureClass::kConnectTimeout;
  return order_.repeatable || (never_left && order_.body_kind == upstream::Call::Body::kWhole);
}

void LiveFlight::retry_later(FailureClass failure) {
  series_->add(LabelledCounter::kRetries, static_cast<int>(failure));
  worker_.note_retry(*this, failure);
  const config::Settings::Retry& retry = worker_.shared().settings.retry;
  Duration wait = Duration::zero();
  if (upstream::rule_of(failure).budget == FailureRule::Budget::kCharged) {
    const auto most =
        static_cast<std::uint64_t>(std::min(retry.backoff_base * 2, retry.backoff_max).count());
    wait = milliseconds(worker_.random().below(most + 1));
    wait = std::max<Duration>(wait, milliseconds(mutable_head().retry_after_ms));
  }
  mutable_head() = AnswerHead{};
  cause_ = {};
  retry_at_ = worker_.now() + wait;
  set_timer(retry_at_);
}

void LiveFlight::publish_failure(FailureClass failure) {
  const FailureRule& rule = upstream::rule_of(failure);
  AnswerHead& head = mutable_head();
  // The upstream's own refusal is passed on if it is whole; otherwise we say what happened.
  const bool own_words = !is_answer(failure) || head.status < 400 || collected_.empty() ||
                         mode_ == Order::Answer::kStream;
  if (own_words) {
    head = AnswerHead{};
    head.status = rule.status;
    head.shared_fields = "content-type: application/json\r\n";
    collected_ = error_body(head.status, rule.message,
                            "upstream_" + std::string(to_string(failure)), dialect());
  }
  if (rule.transient && head.retry_after_ms == 0) head.retry_after_ms = kDefaultRetryAfterMs;
  if (rule.transient && worker_.retry_budget().available(worker_.now()) < 1.0)
    head.retry_discouraged = true;
  head.body = AnswerHead::Body::kLength;
  head.content_length = collected_.size();
  committed_ = true;
  failure_body_ = collected_;
  freeze_head();
  if (!order_.head_method) mutable_log().append(collected_, collected_.size());
  finish(own_words || rule.transient ? FlightEnding::kFailed : FlightEnding::kRejected);
}

void LiveFlight::break_off(FailureClass failure) {
  failure_body_ = error_body(502, upstream::rule_of(failure).message,
                             "upstream_" + std::string(to_string(failure)), dialect());
  append_events();
  finish(FlightEnding::kCut);
}

void LiveFlight::complete(FlightEnding ending) {
  append_events();
  const bool joined = worker_.shared().table.change(*this, [&](Core& core) {
    if (ending == FlightEnding::kCut) {
      core.fail();
    } else if (!core.terminal()) {
      core.commit();
      core.complete();
    }
    return core.joins() > 0;
  });
  if (mode_ == Order::Answer::kStream) {
    usage_ = judge_.usage();
    if (!usage_.known) usage_.completion_tokens = judge_.semantic_events();
  } else if ((joined || order_.usage == Order::Usage::kCounted) && !committed_) {
    usage_ = contract::judge_body(collected_, order_.surface, worker_.judge_memory()).usage;
  }
  if (!committed_) show(AnswerHead::Body::kLength, collected_.size());
  attempt_.reset();
  finish(ending);
}

// The one place where a flight ends. Precondition: the core is terminal.
void LiveFlight::finish(FlightEnding ending) {
  if (over_) return;
  over_ = true;
  attempt_.reset();
  if (timer_) timer_->cancel();
  series_->add(LabelledCounter::kFlightEndings, static_cast<int>(ending));
  // Relayed events may have been torn anywhere; the error event must begin a line of its own. (An
  // empty line more is nothing to a reader of lines.)
  const bool broken = ending == FlightEnding::kCut || ending == FlightEnding::kShutdown;
  const bool relayed = broken && committed_ && mode_ == Order::Answer::kRelayed;
  const bool told_in_band = head().form != AnswerHead::Form::kPlain;
  if (relayed && told_in_band && head().body != AnswerHead::Body::kLength) append_framed("\n\n");
  // Whatever the answer was: a failed change may have been half a change. Before its caller is
  // told.
  if (order_.effect == Order::Effect::kChangesModel) worker_.model_changes();
  mutable_log().end(ending);
  worker_.flight_ended(*this, ending, cause_);
  worker_.hall().announce(*this);
  // This may be the last reference, and a callback of ours may be running.
  worker_.release_later(std::move(self_));
}

void LiveFlight::shut_down() {
  if (over_) return;
  worker_.shared().table.change(*this, [](Core& core) {
    core.fail();
    return 0;
  });
  failure_body_ = error_body(503, "The gateway is shutting down.", "shutting_down", dialect());
  if (!committed_) {
    mutable_head() = AnswerHead{};
    mutable_head().status = 503;
    mutable_head().shared_fields = "content-type: application/json\r\n";
    mutable_head().body = AnswerHead::Body::kLength;
    mutable_head().content_length = failure_body_.size();
    freeze_head();
    if (!order_.head_method) mutable_log().append(failure_body_);
  }
  finish(FlightEnding::kShutdown);
}

}  // namespace slipstream::gateway
