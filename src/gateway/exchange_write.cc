// The writing half of Exchange: from the flight's log to the caller, and the deadlines.
#include <algorithm>
#include <array>

#include "gateway/errors.h"
#include "gateway/exchange.h"
#include "gateway/session.h"
#include "gateway/worker.h"
#include "http/write.h"

namespace slipstream::gateway {

using flight::AnswerHead;
using flight::FlightEnding;
using flight::SubscriberEnding;
using telemetry::Histogram;

namespace {

constexpr std::string_view kOpenedHead =
    "content-type: text/event-stream\r\ncache-control: no-cache\r\n";

void append_chunk(std::string& out, std::string_view bytes) {
  http::append_chunk_head(out, bytes.size());
  out += bytes;
  out += http::kChunkTail;
}

}  // namespace

bool Exchange::chunked() const {
  return answer_ == Answer::kOpened || log_dropped_ ||
         flight_->head().body == AnswerHead::Body::kChunked;
}

bool Exchange::caught_up() const {
  return out_.empty() && !blocked_ && cursor_.position() == flight_->log().published();
}

// Only what still grows can be fallen behind of; a log that ended is bounded by time alone.
bool Exchange::lags_too_far() const {
  if (flight_->log().ended()) return false;
  return flight_->log().appended() - cursor_.position() > lag_allowed_;
}

void Exchange::on_progress() {
  if (over_) return;
  const std::uint64_t before = cursor_.position();
  if (!blocked_) pump();
  if (over_ || cursor_.position() != before) return;
  // Positions may have been forgotten: without saying it again nobody would resume the upstream.
  if (flight_->head_ready()) say_position();
  if (blocked_ && lags_too_far()) end(SubscriberEnding::kTooSlow, Reuse::kReset);
}

void Exchange::say_position() {
  flight_->note_position(cursor_.position());
  if (flight_->paused()) flight_->wake(flight_->home());
}

void Exchange::on_writable() {
  if (over_) return;
  blocked_ = false;
  pump();
}

void Exchange::pump() {
  while (!over_ && !blocked_) {
    if (!flight_) {
      // While the request is still being read there may be nothing at all to say.
      if (answer_ != Answer::kDirect && out_.empty()) return;
      if (!write_pieces(LogState::kGrowing)) return;
      continue;
    }
    // Ended is read before the bytes: what is peeked after it is everything.
    const LogState log = flight_->log().ended() ? LogState::kEnded : LogState::kGrowing;
    if (answer_ != Answer::kHeadMade && flight_->head_ready()) {
      if (refused_for_another()) return fall_back();
      prepare_head();
    }
    if (answer_ != Answer::kHeadMade && out_.empty()) return;
    if (!write_pieces(answer_ == Answer::kHeadMade ? log : LogState::kGrowing)) return;
  }
}

// A credential that the upstream turned away proves nothing about a caller who has another one.
bool Exchange::refused_for_another() const {
  const int status = flight_->head().status;
  return role_ == Role::kFollower && !credential_in_key_ && answer_ == Answer::kWaiting &&
         (status == 401 || status == 403);
}

void Exchange::prepare_head() {
  if (role_ == Role::kFollower) release_request();
  const AnswerHead& answer = flight_->head();
  if (answer_ == Answer::kOpened) {
    // The caller was told 200 and an event stream already. Anything else has to be an error event.
    answer_ = Answer::kHeadMade;
    log_dropped_ = answer.status != 200 || answer.body != AnswerHead::Body::kChunked ||
                   answer.form != AnswerHead::Form::kEvents;
    return;
  }
  answer_ = Answer::kHeadMade;
  CallerHead caller;
  caller.role = role_;
  caller.reason = reason_;
  caller.flight_id = flight_->id();
  caller.request_id = request_id_;
  caller.date = worker_.http_date();
  caller.explanation = explanation_;
  caller.retry_after_ms = answer.retry_after_ms;
  // N followers must not come back at the same instant.
  if (role_ == Role::kFollower && answer.retry_after_ms > 0) {
    caller.retry_after_ms += worker_.random().below(answer.retry_after_ms / 2 + 1);
  }
  const bool close = !keep_alive_ || answer.body == AnswerHead::Body::kUntilClose ||
                     worker_.shared().draining.load(std::memory_order_relaxed);
  caller.connection = close ? CallerHead::Connection::kClose : CallerHead::Connection::kKeepAlive;
  if (out_.empty()) out_ = worker_.take_buffer();
  append_caller_head(out_, answer, caller);
}

bool Exchange::answer_is_whole() const {
  if (log_dropped_) return false;
  const AnswerHead& answer = flight_->head();
  switch (flight_->log().ending()) {
    case FlightEnding::kWhole:
    case FlightEnding::kClaimed:
    case FlightEnding::kRejected:
    case FlightEnding::kFailed:
      return true;
    case FlightEnding::kCut:
    case FlightEnding::kAbandoned:
      return false;
    case FlightEnding::kShutdown:
      return answer.body == AnswerHead::Body::kLength &&
             flight_->log().appended() == answer.content_length;
  }
  return false;
}

void Exchange::prepare_tail() {
  if (tail_ready_) return;
  tail_ready_ = true;
  if (answer_is_whole()) {
    if (chunked() && !head_method_) tail_ = http::kLastChunk;
    return;
  }
  if (live().failure_body().empty()) return;
  const AnswerHead::Form form = log_dropped_ ? AnswerHead::Form::kEvents : flight_->head().form;
  const std::string event = error_event(live().failure_body(), form, surface_);
  if (event.empty()) return;
  if (chunked()) {
    append_chunk(tail_, event);
  } else if (flight_->head().body == AnswerHead::Body::kUntilClose) {
    tail_ = event;  // elsewhere it would fill up the length that was promised
  }
}

bool Exchange::write_pieces(LogState log) {
  std::array<iovec, kPiecesMax + 2> pieces;
  std::size_t count = 0;
  std::uint64_t from_log = 0;
  if (!out_.empty()) pieces[count++] = {out_.data() + out_sent_, out_.size() - out_sent_};
  if (answer_ == Answer::kHeadMade && !log_dropped_) {
    const std::size_t found = cursor_.peek(pieces.data() + count, kPiecesMax);
    for (std::size_t i = count; i < count + found; ++i) from_log += pieces[i].iov_len;
    count += found;
  }
  const bool direct = answer_ == Answer::kDirect;
  const bool everything =
      direct || (log == LogState::kEnded &&
                 (log_dropped_ || cursor_.position() + from_log == flight_->log().appended()));
  if (everything && !direct) {
    prepare_tail();
    if (tail_sent_ < tail_.size())
      pieces[count++] = {tail_.data() + tail_sent_, tail_.size() - tail_sent_};
  }
  if (count == 0) {
    if (everything) finish();
    return false;
  }
  if (flight_ && drained_) {
    // What came at once, while this caller had everything, is no lag of its making.
    lag_allowed_ = std::max(worker_.shared().settings.replay.lag_bytes_max,
                            flight_->log().appended() - cursor_.position());
    drained_ = false;
  }
  std::size_t offered = 0;
  for (std::size_t i = 0; i < count; ++i) offered += pieces[i].iov_len;
  const net::IoResult sent = session_->stream().write(std::span<const iovec>(pieces.data(), count));
  if (sent.status == net::IoStatus::kError) {
    end(SubscriberEnding::kClientGone, Reuse::kReset);
    return false;
  }
  blocked_ = sent.bytes < offered;
  take_written(sent.bytes, from_log);
  if (blocked_) {
    if (flight_ && lags_too_far()) end(SubscriberEnding::kTooSlow, Reuse::kReset);
    return false;
  }
  if (!everything) {
    drained_ = count < kPiecesMax;
    return !drained_;
  }
  finish();
  return false;
}

void Exchange::take_written(std::size_t bytes, std::uint64_t from_log) {
  if (bytes > 0) last_write_ = worker_.now();
  const std::size_t own = std::min(bytes, out_.size() - out_sent_);
  out_sent_ += own;
  if (out_sent_ == out_.size()) {
    worker_.give_buffer(std::move(out_));
    out_sent_ = 0;
  }
  bytes -= own;
  const std::size_t logged = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, from_log));
  if (logged > 0) {
    cursor_.advance(logged);
    if (!first_bytes_) note_first_bytes();
    say_position();
  }
  tail_sent_ += bytes - logged;
}

void Exchange::note_first_bytes() {
  first_bytes_ = true;
  const double waited = to_seconds(worker_.now() - began_at_);
  if (surface_ != contract::Surface::kPassThrough) series_->observe(Histogram::kFirstToken, waited);
  if (role_ == Role::kFollower) series_->observe(Histogram::kFollowerWait, waited);
}

void Exchange::finish() {
  if (answer_ == Answer::kDirect)
    return end(direct_ending_, keep_alive_ ? Reuse::kKeepAlive : Reuse::kClose);
  if (!answer_is_whole()) {
    // No last chunk, no missing bytes made up: a strict client sees an incomplete body. Where only
    // the close would end the body, it has to be an abort.
    const bool looks_whole = !log_dropped_ && flight_->head().body == AnswerHead::Body::kUntilClose;
    const bool shutdown = flight_->log().ending() == FlightEnding::kShutdown;
    return end(shutdown ? SubscriberEnding::kShutdown : SubscriberEnding::kUpstreamFailed,
               looks_whole ? Reuse::kReset : Reuse::kClose);
  }
  if (role_ == Role::kFollower) {
    series_->add(telemetry::Counter::kBytesAvoided, cursor_.position());
    series_->add(telemetry::Counter::kTokensAvoided, live().usage().completion_tokens);
  }
  const bool keep = keep_alive_ && flight_->head().body != AnswerHead::Body::kUntilClose &&
                    !worker_.shared().draining.load(std::memory_order_relaxed);
  end(SubscriberEnding::kDelivered, keep ? Reuse::kKeepAlive : Reuse::kClose);
}

Duration Exchange::first_check() const {
  const config::Settings& settings = worker_.shared().settings;
  Duration first = settings.request.deadline;
  if (settings.stream.keep_alive_comment.count() > 0)
    first = std::min<Duration>(first, settings.stream.keep_alive_comment);
  if (settings.coalesce.follower_wait.count() > 0)
    first = std::min<Duration>(first, settings.coalesce.follower_wait);
  return std::min<Duration>({first, settings.limits.write_stall, settings.replay.lag_time_max,
                             deadline_ - worker_.now()});
}

Time Exchange::on_tick(Time now) {
  const config::Settings& settings = worker_.shared().settings;
  const Duration stall = std::min(settings.limits.write_stall, settings.replay.lag_time_max);
  const Duration comment = settings.stream.keep_alive_comment;
  const Duration patience = settings.coalesce.follower_wait;
  if (blocked_ && now - last_write_ >= stall) {
    end(SubscriberEnding::kTooSlow, Reuse::kReset);
    return kNever;
  }
  if (!flight_) return now + stall;
  if (now >= deadline_) {
    time_out();
    return kNever;
  }
  Time next = deadline_;
  if (blocked_) next = std::min(next, last_write_ + stall);
  if (role_ == Role::kFollower && patience > Duration::zero() && answer_ == Answer::kWaiting) {
    if (now - began_at_ >= patience) {
      fall_back();
      return now + patience;
    }
    next = std::min(next, began_at_ + patience);
  }
  const bool kept_alive = streamed_ && !keep_alive_event(surface_).empty() && minor_version_ == 1;
  if (kept_alive && comment > Duration::zero()) {
    if (caught_up() && !flight_->log().ended() && now - last_write_ >= comment) send_keep_alive();
    if (over_) return kNever;
    next = std::min(next, std::max(last_write_, now - comment) + comment);
  }
  return std::max(next, now + milliseconds(1));
}

// Load balancers cut silent connections; a comment or ping keeps them. It may open the answer with
// 200 before the upstream said anything: nothing of the upstream is published by that, so retry
// stays possible.
void Exchange::send_keep_alive() {
  if (answer_ == Answer::kWaiting) {
    AnswerHead opened;
    opened.status = 200;
    opened.shared_fields = kOpenedHead;
    opened.body = AnswerHead::Body::kChunked;
    opened.form = AnswerHead::Form::kEvents;
    CallerHead caller;
    caller.role = role_;
    caller.reason = reason_;
    caller.flight_id = flight_->id();
    caller.request_id = request_id_;
    caller.date = worker_.http_date();
    caller.explanation = explanation_;
    if (!keep_alive_) caller.connection = CallerHead::Connection::kClose;
    append_caller_head(out_, opened, caller);
    answer_ = Answer::kOpened;
  } else if (answer_ == Answer::kHeadMade && (flight_->head().body != AnswerHead::Body::kChunked ||
                                              flight_->head().form != AnswerHead::Form::kEvents)) {
    return;
  }
  append_chunk(out_, keep_alive_event(surface_));
  pump();
}

// The follower waited long enough for a flight that shows nothing: it makes its own call.
void Exchange::fall_back() {
  series_->add(telemetry::Counter::kFallbacks);
  leave_flight();
  fly_alone(reason_, contract_order());
}

void Exchange::time_out() {
  const std::string body =
      error_body(504, "The request's deadline passed.", "deadline_exceeded", dialect());
  direct_ending_ = SubscriberEnding::kDeadline;
  if (answer_ == Answer::kWaiting) {
    charge_tokens();
    leave_flight();
    return answer_directly(504, body, 0);
  }
  const AnswerHead::Form form =
      answer_ == Answer::kOpened ? AnswerHead::Form::kEvents : flight_->head().form;
  if (form != AnswerHead::Form::kPlain && caught_up() && chunked()) {
    // Relayed events may be torn anywhere; this one must begin a line of its own.
    const std::string gap = surface_ == contract::Surface::kPassThrough ? "\n\n" : "";
    std::string event;
    append_chunk(event, gap + error_event(body, form, surface_));
    session_->stream().write(std::string_view(event));
    return end(SubscriberEnding::kDeadline, Reuse::kClose);
  }
  end(SubscriberEnding::kDeadline, Reuse::kReset);
}

}  // namespace slipstream::gateway
