#include "gateway/live_flight.h"

#include <algorithm>

#include "base/check.h"
#include "gateway/heads.h"
#include "gateway/shared.h"
#include "gateway/worker.h"
#include "http/write.h"

namespace slipstream::gateway {

namespace {
// What callers' libraries are told to wait after a transient failure that named no delay.
constexpr std::uint64_t kDefaultRetryAfterMs = 1000;
}  // namespace

using flight::AnswerHead;
using flight::Core;
using flight::FlightEnding;
using telemetry::Histogram;
using telemetry::LabelledCounter;
using upstream::FailureClass;
using upstream::FailureRule;

LiveFlight::LiveFlight(Worker& worker, Setup setup)
    : Flight(std::move(setup), worker.shared().replay_budget, worker.shared().ports.data()),
      worker_(worker),
      judge_(worker.judge_memory()) {}

LiveFlight::~LiveFlight() = default;

void LiveFlight::start(Order order, telemetry::Series& series) {
  self_ = this;
  order_ = std::move(order);
  series_ = &series;
  worker_.flight_started(*this);
  attempt(upstream::Call::Connection::kPooledOrNew);
}

void LiveFlight::attempt(upstream::Call::Connection connection) {
  const bool allowed =
      worker_.shared().table.change(*this, [](Core& core) { return core.start_attempt(); });
  SLIP_CHECK(allowed);
  series_->add(telemetry::Counter::kUpstreamCalls);
  upstream::Call call;
  call.head = order_.head;
  call.body = order_.body;
  call.body_kind = order_.body_kind;
  call.connection = connection;
  call.head_method = order_.head_method;
  splitter_ = sse::Splitter(worker_.shared().settings.upstream.response_bytes_max);
  judge_ = contract::StreamJudge(worker_.judge_memory());
  collected_.clear();
  mode_ = order_.answer;
  sent_at_ = kNever;
  attempt_ = worker_.upstream().start(std::move(call), this);
  if (sent_at_ != kNever) arm_deadline();
}

void LiveFlight::on_sent() {
  sent_at_ = worker_.now();
  series_->observe(Histogram::kUpstreamConnect, to_seconds(sent_at_ - opened_at()));
  arm_deadline();
}

void LiveFlight::arm_deadline() {
  if (!attempt_) return;
  const config::Settings& settings = worker_.shared().settings;
  const Time too_old = opened_at() + settings.upstream.flight_age_max;
  Time next = too_old;
  if (!committed_) {
    // A non-streamed answer shows nothing until it is whole: the caller's own limit has to do.
    const Duration wait = order_.answer == Order::Answer::kStream
                              ? settings.upstream.first_event_timeout
                              : settings.request.deadline;
    next = std::min(next, sent_at_ + wait);
  } else if (mode_ == Order::Answer::kStream && !paused()) {
    next = std::min(next, worker_.now() + settings.upstream.between_events_timeout);
  }
  attempt_->set_deadline(next);
}

void LiveFlight::on_deadline() {
  const bool too_old =
      worker_.now() >= opened_at() + worker_.shared().settings.upstream.flight_age_max;
  attempt_failed(too_old      ? FailureClass::kTooOld
                 : committed_ ? FailureClass::kIdleTimeout
                              : FailureClass::kFirstEventTimeout);
}

void LiveFlight::on_head(const http::Head& head) {
  worker_.shared().table.change(*this, [](Core& core) {
    core.headed();
    return 0;
  });
  mutable_head() = answer_head(head);
  if (order_.answer == Order::Answer::kRelayed) {
    if (order_.head_method || head.framing() == http::Framing::kLength) {
      const bool says_length = head.has("content-length");
      return commit(says_length ? AnswerHead::Body::kLength : AnswerHead::Body::kNone,
                    head.content_length());
    }
    if (head.framing() == http::Framing::kNone) return commit(AnswerHead::Body::kNone, 0);
    return commit(order_.framing == Order::Framing::kChunked ? AnswerHead::Body::kChunked
                                                             : AnswerHead::Body::kUntilClose,
                  0);
  }
  const bool stream = head.status() == 200 && mutable_head().event_stream;
  mode_ = stream ? Order::Answer::kStream : Order::Answer::kBody;
}

void LiveFlight::on_body(std::string_view bytes) {
  if (over_) return;
  if (mode_ == Order::Answer::kStream) return collect_events(bytes);
  if (committed_) return append_framed(bytes);
  if (collected_.empty()) collected_ = worker_.take_buffer();
  collected_.append(bytes);
  if (collected_.size() <= worker_.shared().settings.upstream.response_bytes_max) return;
  // Too large to hold back: passed on as it comes, and not repeatable any more.
  mode_ = Order::Answer::kRelayed;
  commit(AnswerHead::Body::kChunked, 0);
}

void LiveFlight::collect_events(std::string_view bytes) {
  sse::Event event;
  for (;;) {
    switch (splitter_.next(bytes, event)) {
      case sse::Splitter::Step::kNeedMore:
        return;
      case sse::Splitter::Step::kTooLong:
        return attempt_failed(FailureClass::kMalformed);
      case sse::Splitter::Step::kEvent:
        if (!take_event(event.raw)) return;
    }
  }
}

bool LiveFlight::take_event(std::string_view raw) {
  const contract::EventKind kind = judge_.observe(raw);
  if (kind == contract::EventKind::kError) {
    if (!committed_) {
      take_error_event(raw);
      return false;
    }
    // The upstream's own words reach every subscriber; the end is still a broken one.
    collected_.append(raw);
    series_->add(LabelledCounter::kUpstreamFailures, static_cast<int>(FailureClass::kInBandError));
    complete(FlightEnding::kCut);
    return false;
  }
  collected_.append(raw);
  const bool semantic = kind == contract::EventKind::kSemantic ||
                        kind == contract::EventKind::kDone || kind == contract::EventKind::kUsage;
  if (!committed_ && semantic) {
    commit(order_.framing == Order::Framing::kChunked ? AnswerHead::Body::kChunked
                                                      : AnswerHead::Body::kUntilClose,
           0);
  }
  return true;
}

// An error before the commit point: what the event says is the answer, unless a retry does better.
void LiveFlight::take_error_event(std::string_view raw) {
  std::string scratch;
  collected_ = sse::parse_fields(raw, scratch).data;
  mode_ = Order::Answer::kBody;
  mutable_head().status = judge_.error_status();
  mutable_head().shared_fields = "content-type: application/json\r\n";
  mutable_head().event_stream = false;
  attempt_failed(FailureClass::kInBandError);
}

void LiveFlight::on_batch() {
  if (over_ || !committed_) return;
  const Duration window = worker_.shared().settings.replay.flush_window;
  if (window > Duration::zero() && last_flush_ != Time::min() &&
      worker_.now() - last_flush_ < window) {
    flush_at_ = last_flush_ + window;
    return set_timer(flush_at_);
  }
  flush();
}

void LiveFlight::flush() {
  flush_at_ = kNever;
  if (mode_ == Order::Answer::kStream && !collected_.empty()) {
    append_framed(collected_);
    collected_.clear();
  }
  if (log().appended() == log().published() && head_told_) return;
  head_told_ = true;
  last_flush_ = worker_.now();
  mutable_log().publish();
  settle_memory();
  const flight::FlightRef keep(this);
  worker_.hall().announce(*this);
  if (over_) return;
  settle_pace();
  arm_deadline();
}

void LiveFlight::append_framed(std::string_view bytes) {
  if (bytes.empty()) return;
  if (head().body != AnswerHead::Body::kChunked) return mutable_log().append(bytes);
  std::string chunk_head;
  http::append_chunk_head(chunk_head, bytes.size());
  mutable_log().append(chunk_head);
  mutable_log().append(bytes);
  mutable_log().append(http::kChunkTail);
}

void LiveFlight::commit(AnswerHead::Body body, std::uint64_t length) {
  committed_ = true;
  first_published_at_ = worker_.now();
  series_->observe(Histogram::kUpstreamFirstEvent, to_seconds(first_published_at_ - sent_at_));
  mutable_head().body = body;
  mutable_head().content_length = length;
  worker_.shared().table.change(*this, [](Core& core) {
    core.commit();
    return 0;
  });
  // Nothing is sent again from here on.
  worker_.give_buffer(std::move(order_.head));
  if (order_.body_kind == upstream::Call::Body::kWhole && attempt_ &&
      attempt_->upload_backlog() == 0) {
    worker_.give_buffer(std::move(order_.body));
  }
  freeze_head();
  if (mode_ == Order::Answer::kStream) return;
  if (body == AnswerHead::Body::kLength && !collected_.empty()) {
    mutable_log().append(collected_, collected_.size());
  } else {
    append_framed(collected_);
  }
  worker_.give_buffer(std::move(collected_));
}

void LiveFlight::settle_memory() {
  const bool too_large = log().appended() > worker_.shared().settings.replay.flight_bytes_max;
  if (log().head_released() || !(too_large || worker_.shared().replay_budget.exhausted())) return;
  worker_.shared().table.close_to_joiners(*this);
}

void LiveFlight::settle_pace() {
  if (!attempt_) return;
  const std::uint64_t lead = log().published() - std::min(log().published(), fastest_position());
  const std::uint64_t limit = worker_.shared().settings.replay.lag_bytes_max / 4;
  if (!paused() && lead > limit) {
    set_paused(true);
    attempt_->pause();
    // A reader may have caught up between the look and the flag: look again.
    if (log().published() - std::min(log().published(), fastest_position()) > limit)
      return arm_deadline();
  }
  if (paused() && log().published() - std::min(log().published(), fastest_position()) <= limit) {
    set_paused(false);
    attempt_->resume();
    arm_deadline();
  }
}

void LiveFlight::on_end() {
  attempt_.reset();
  if (over_) return;
  if (mode_ == Order::Answer::kStream) return end_of_stream();
  if (!committed_) return end_of_body();
  complete(FlightEnding::kWhole);
}

void LiveFlight::end_of_stream() {
  sse::Event event;
  if (splitter_.finish(event) == sse::Splitter::Step::kEvent && !take_event(event.raw)) return;
  const std::string rest(splitter_.rest());
  if (!rest.empty() && !take_event(rest)) return;
  if (!committed_ && judge_.ending() != contract::Ending::kCut)
    commit(AnswerHead::Body::kChunked, 0);
  switch (judge_.ending()) {
    case contract::Ending::kWhole:
      return complete(FlightEnding::kWhole);
    case contract::Ending::kClaimed:
      return complete(FlightEnding::kClaimed);
    case contract::Ending::kCut:
      return attempt_failed(FailureClass::kCut);
  }
}

void LiveFlight::end_of_body() {
  if (mutable_head().status >= 400) return reject_or_retry();
  contract::BodyJudgement judgement = contract::judge_body(collected_, worker_.judge_memory());
  if (judgement.error) {
    mutable_head().status = judgement.error_status;
    return reject_or_retry();
  }
  completion_tokens_ = judgement.usage.completion_tokens;
  commit(AnswerHead::Body::kLength, collected_.size());
  complete(judgement.finished || mutable_head().status != 200 ? FlightEnding::kWhole
                                                              : FlightEnding::kClaimed);
}

void LiveFlight::reject_or_retry() {
  attempt_failed(upstream::classify_status(mutable_head().status));
}

void LiveFlight::on_failure(FailureClass failure) {
  attempt_.reset();
  if (!over_) attempt_failed(failure);
}

void LiveFlight::attempt_failed(FailureClass failure) {
  attempt_.reset();
  series_->add(LabelledCounter::kUpstreamFailures, static_cast<int>(failure));
  const FailureRule& rule = upstream::rule_of(failure);
  bool may_retry =
      rule.retry == FailureRule::Retry::kOnce && order_.repeatable && !committed_ &&
      worker_.shared().settings.retry.enabled &&
      mutable_head().retry_after_ms <=
          static_cast<std::uint64_t>(worker_.shared().settings.retry.after_max.count());
  if (may_retry && rule.budget == FailureRule::Budget::kCharged) {
    may_retry =
        worker_.retry_budget().take(worker_.now()) == upstream::RetryBudget::Grant::kGranted;
  }
  const auto effect = worker_.shared().table.change(*this, [&](Core& core) {
    return core.attempt_failed(
        rule.transient ? Core::Transience::kTransient : Core::Transience::kDeterministic,
        may_retry ? Core::Budget::kGranted : Core::Budget::kRefused);
  });
  if (effect == Core::OnFailure::kRetry) return retry_later(failure);
  if (committed_) return break_off(failure);
  publish_failure(failure);
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
  retry_at_ = worker_.now() + wait;
  set_timer(retry_at_);
}

void LiveFlight::publish_failure(FailureClass failure) {
  const FailureRule& rule = upstream::rule_of(failure);
  AnswerHead& head = mutable_head();
  // The upstream's own refusal is passed on; otherwise we say what happened.
  const bool own_words = head.status < 400 || collected_.empty() || mode_ == Order::Answer::kStream;
  if (own_words) {
    head = AnswerHead{};
    head.status = rule.status;
    head.shared_fields = "content-type: application/json\r\n";
    collected_ =
        error_body(head.status, rule.message, "upstream_" + std::string(to_string(failure)));
  }
  if (rule.transient && head.retry_after_ms == 0) head.retry_after_ms = kDefaultRetryAfterMs;
if (rule.transient && worker_.retry_budget().available(worker_.now()) < 1.0) head.retry_discouraged = true;
  head.body = AnswerHead::Body::kLength;
  head.content_length = collected_.size();
  committed_ = true;
  failure_body_ = collected_;
  freeze_head();
  mutable_log().append(collected_, collected_.size());
  const bool rejected = !own_words && !rule.transient;
  finish(rejected ? FlightEnding::kRejected : FlightEnding::kFailed);
}

void LiveFlight::break_off(FailureClass failure) {
  failure_body_ = error_body(502, upstream::rule_of(failure).message,
                             "upstream_" + std::string(to_string(failure)));
  if (mode_ == Order::Answer::kStream && !collected_.empty()) {
    append_framed(collected_);
    collected_.clear();
  }
  finish(FlightEnding::kCut);
}

void LiveFlight::complete(FlightEnding ending) {
  if (mode_ == Order::Answer::kStream) {
    append_framed(collected_);
    collected_.clear();
    completion_tokens_ =
        judge_.usage().known ? judge_.usage().completion_tokens : judge_.semantic_events();
  }
  worker_.shared().table.change(*this, [&](Core& core) {
    if (core.terminal()) return 0;
    if (ending == FlightEnding::kCut) {
      core.fail();
    } else {
      core.complete();
    }
    return 0;
  });
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
  mutable_log().end(ending);
  worker_.flight_ended(*this, ending);
  worker_.hall().announce(*this);
  // This may be the last reference, and a callback of ours may be running.
  worker_.release_later(std::move(self_));
}

void LiveFlight::on_home_wake() {
  if (over_) return;
  struct Seen {
    flight::State state;
    Time grace_until;
  };
  const Seen seen = worker_.shared().table.change(
      *this, [](Core& core) { return Seen{core.state(), core.grace_until()}; });
  if (seen.state == flight::State::kAbandoned) return finish(FlightEnding::kAbandoned);
  grace_at_ = seen.grace_until;
  if (grace_at_ != kNever) set_timer(grace_at_);
  settle_pace();
}

void LiveFlight::set_timer(Time at) {
  if (!timer_) timer_ = std::make_unique<net::Timer>(worker_.loop(), [this] { on_timer(); });
  timer_->set(std::min(at, timer_->deadline()));
}

void LiveFlight::on_timer() {
  const Time now = worker_.now();
  const flight::FlightRef keep(this);
  if (grace_at_ <= now) {
    grace_at_ = kNever;
    const auto effect =
        worker_.shared().table.change(*this, [&](Core& core) { return core.grace_over(now); });
    if (effect == Core::OnGrace::kAbandon) {
      worker_.release_later(keep);
      return finish(FlightEnding::kAbandoned);
    }
  }
  if (flush_at_ <= now) flush();
  if (over_) return worker_.release_later(keep);
  if (retry_at_ <= now) {
    retry_at_ = kNever;
    attempt(upstream::Call::Connection::kNew);
  }
  const Time next = std::min({grace_at_, flush_at_, retry_at_});
  if (next != kNever) set_timer(next);
}

void LiveFlight::shut_down() {
  if (over_) return;
  worker_.shared().table.change(*this, [](Core& core) {
    core.fail();
    return 0;
  });
  failure_body_ = error_body(503, "The gateway is shutting down.", "shutting_down");
  if (!committed_) {
    mutable_head() = AnswerHead{};
    mutable_head().status = 503;
    mutable_head().shared_fields = "content-type: application/json\r\n";
    mutable_head().body = AnswerHead::Body::kLength;
    mutable_head().content_length = failure_body_.size();
    freeze_head();
    mutable_log().append(failure_body_);
  }
  finish(FlightEnding::kShutdown);
}

void LiveFlight::upload(std::string_view bytes) {
  if (!attempt_ || bytes.empty()) return;
  if (order_.upload == Upload::kLength) return attempt_->upload(bytes);
  std::string chunk;
  http::append_chunk_head(chunk, bytes.size());
  chunk.append(bytes);
  chunk += http::kChunkTail;
  attempt_->upload(chunk);
}

void LiveFlight::finish_upload() {
  if (!attempt_) return;
  if (order_.upload == Upload::kChunked) attempt_->upload(http::kLastChunk);
  attempt_->finish_upload();
}

std::uint64_t LiveFlight::upload_backlog() const {
  return attempt_ ? attempt_->upload_backlog() : 0;
}

void LiveFlight::on_upload_space() {
  if (on_upload_space_) on_upload_space_();
}

}  // namespace slipstream::gateway
