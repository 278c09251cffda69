#include "gateway/live_flight.h"

#include <algorithm>

#include "gateway/errors.h"
#include "gateway/heads.h"
#include "gateway/shared.h"
#include "gateway/worker.h"
#include "http/write.h"

namespace slipstream::gateway {

using flight::AnswerHead;
using flight::Core;
using flight::FlightEnding;
using telemetry::Histogram;
using telemetry::LabelledCounter;
using upstream::FailureClass;

namespace {
// Comments and role events held back before the commit point. Beyond it comments are dropped, and
// anything else commits.
constexpr std::size_t kPreambleBytesMax = 64 * 1024;
}  // namespace

LiveFlight::LiveFlight(Worker& worker, Setup setup)
    : Flight(std::move(setup), worker.shared().replay_budget, worker.shared().ports.data()),
      worker_(worker),
      judge_(worker.judge_memory(), contract::Surface::kPassThrough) {}

LiveFlight::~LiveFlight() = default;

void LiveFlight::start(Order order, telemetry::Series& series) {
  self_ = this;
  order_ = std::move(order);
  series_ = &series;
  worker_.flight_started(*this);
  if (order_.effect == Order::Effect::kChangesModel) worker_.model_changes();
  attempt(upstream::Call::Connection::kPooledOrNew);
}

void LiveFlight::attempt(upstream::Call::Connection connection) {
  const bool allowed =
      worker_.shared().table.change(*this, [](Core& core) { return core.start_attempt(); });
  // The last subscriber, on another worker, left meanwhile: its wake-up is on its way.
  if (!allowed) return finish(FlightEnding::kAbandoned);
  series_->add(telemetry::Counter::kUpstreamCalls);
  upstream::Call call;
  call.head = order_.head;
  call.body = order_.body;
  call.body_kind = order_.body_kind;
  call.connection = connection;
  call.head_method = order_.head_method;
  judge_ = contract::StreamJudge(worker_.judge_memory(), order_.surface);
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
    // Comments are a sign of life, but no answer: they stretch the wait, to that for a first event.
    const Duration between = settings.upstream.between_events_timeout;
    const Duration stretched = std::max<Duration>(between, settings.upstream.first_event_timeout);
    next = std::min({next, worker_.now() + between, last_event_at_ + stretched});
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
  head_told_to_core_ = false;
  mutable_head() = answer_head(head, order_.surface);
  mutable_head().content_length = head.content_length();
  if (order_.answer == Order::Answer::kRelayed) {
    // Whatever their heads say, these have no body (RFC 9110 sections 15.3.5 and 15.4.5).
    const bool bodiless = order_.head_method || head.status() == 204 || head.status() == 304;
    if (bodiless || head.framing() == http::Framing::kLength) {
      const bool says_length = head.has("content-length") && head.status() != 204;
      return commit(says_length ? AnswerHead::Body::kLength : AnswerHead::Body::kNone,
                    head.content_length());
    }
    if (head.framing() == http::Framing::kNone) return commit(AnswerHead::Body::kNone, 0);
    return commit(unknown_length(), 0);
  }
  ends_with_connection_ = head.framing() == http::Framing::kUntilClose;
  const AnswerHead::Form form = mutable_head().form;
  const bool stream = head.status() == 200 && form != AnswerHead::Form::kPlain;
  mode_ = stream ? Order::Answer::kStream : Order::Answer::kBody;
  const bool lines = form == AnswerHead::Form::kLines;
  splitter_ = sse::Splitter(worker_.shared().settings.upstream.response_bytes_max,
                            lines ? sse::Splitter::Unit::kLine : sse::Splitter::Unit::kEvent);
}

void LiveFlight::on_body(std::string_view bytes) {
  if (over_) return;
  if (mode_ == Order::Answer::kStream) return collect_events(bytes);
  if (committed_) return append_framed(bytes);
  if (collected_.empty()) collected_ = worker_.take_buffer(mutable_head().content_length);
  collected_.append(bytes);
  if (collected_.size() <= worker_.shared().settings.upstream.response_bytes_max) return;
  // Too large to hold back: passed on as it comes, and not repeatable any more.
  mode_ = Order::Answer::kRelayed;
  commit(unknown_length(), 0);
}

AnswerHead::Body LiveFlight::unknown_length() const {
  return order_.framing == Order::Framing::kChunked ? AnswerHead::Body::kChunked
                                                    : AnswerHead::Body::kUntilClose;
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
    take_error_event(raw);
    return false;
  }
  const bool semantic = kind == contract::EventKind::kSemantic ||
                        kind == contract::EventKind::kDone || kind == contract::EventKind::kUsage;
  const bool full = !committed_ && collected_.size() + raw.size() > kPreambleBytesMax;
  if (kind != contract::EventKind::kComment) last_event_at_ = worker_.now();
  // A server that pings for minutes before its first token: comments mean nothing, some are enough.
  if (full && kind == contract::EventKind::kComment) return true;
  collected_.append(raw);
  if (!committed_ && (semantic || full)) commit(unknown_length(), 0);
  return true;
}

// The state is for pages alone: an answer that comes in one piece never shows it.
void LiveFlight::note_head() {
  if (std::exchange(head_told_to_core_, true)) return;
  worker_.shared().table.change(*this, [](Core& core) {
    core.headed();
    return 0;
  });
}

// Before the commit point what the event says is the answer, unless a retry does better. After it
// the upstream's own words reach every subscriber, and the end is still a broken one.
void LiveFlight::take_error_event(std::string_view raw) {
  if (committed_) {
    collected_.append(raw);
    cause_ = to_string(FailureClass::kInBandError);
    series_->add(LabelledCounter::kUpstreamFailures, static_cast<int>(FailureClass::kInBandError));
    return complete(FlightEnding::kCut);
  }
  std::string scratch;
  const bool lines = mutable_head().form == AnswerHead::Form::kLines;
  collected_ = error_body_of_event(lines ? raw : sse::parse_fields(raw, scratch).data, dialect());
  mode_ = Order::Answer::kBody;
  mutable_head().status = judge_.error_status();
  mutable_head().shared_fields = "content-type: application/json\r\n";
  mutable_head().form = AnswerHead::Form::kPlain;
  attempt_failed(FailureClass::kInBandError);
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
  // The last event may lack its blank line: it counts if it makes the stream an ended one, and is
  // nothing otherwise.
  const std::string rest(splitter_.rest());
  if (!rest.empty() && judge_.observe(rest) == contract::EventKind::kError) {
    return take_error_event(rest);
  }
  if (judge_.ending() == contract::Ending::kCut) return attempt_failed(FailureClass::kCut);
  collected_.append(rest);
  if (!committed_) commit(unknown_length(), 0);
  switch (judge_.ending()) {
    case contract::Ending::kWhole:
      return complete(FlightEnding::kWhole);
    case contract::Ending::kClaimed:
      return complete(FlightEnding::kClaimed);
    case contract::Ending::kCut:
      return;  // told above
  }
}

void LiveFlight::end_of_body() {
  if (mutable_head().status >= 400) return reject_or_retry();
  // The framing proves that the body is whole; what it says matters only if it may be an error, if
  // nothing framed it, or to followers, who want to know what they saved.
  if (ends_with_connection_ || contract::may_be_error(collected_)) {
    const contract::BodyJudgement judgement =
        contract::judge_body(collected_, order_.surface, worker_.judge_memory());
    if (judgement.error) {
      mutable_head().status = judgement.error_status;
      return reject_or_retry();
    }
    if (ends_with_connection_ && mutable_head().status == 200 && !judgement.finished) {
      return attempt_failed(FailureClass::kCut);
    }
  }
  complete(FlightEnding::kWhole);
}

void LiveFlight::reject_or_retry() {
  attempt_failed(upstream::classify_status(mutable_head().status));
}

void LiveFlight::on_failure(FailureClass failure) {
  attempt_.reset();
  if (!over_) attempt_failed(failure);
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
    if (over_) return;
  }
  const Time next = std::min({grace_at_, flush_at_, retry_at_});
  if (next != kNever) set_timer(next);
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
  // The call may take the listener away.
  const net::Task listener = on_upload_space_;
  if (listener) listener();
}

}  // namespace slipstream::gateway
