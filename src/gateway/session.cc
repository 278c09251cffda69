#include "gateway/session.h"

#include <algorithm>

#include "gateway/errors.h"
#include "gateway/heads.h"
#include "gateway/worker.h"
#include "http/write.h"

namespace slipstream::gateway {

namespace {
http::Limits limits_of(const config::Settings::Limits& limits) {
  http::Limits out;
  out.line_bytes_max = limits.request_line_bytes;
  out.head_bytes_max = limits.head_bytes;
  out.fields_max = limits.head_fields;
  out.body_bytes_max = limits.body_bytes;
  return out;
}
}  // namespace

Session::Session(Worker& worker, std::unique_ptr<net::ByteStream> stream)
    : worker_(worker),
      stream_(std::move(stream)),
      parser_(http::Parser::Kind::kRequest, limits_of(worker.shared().settings.limits)),
      timer_(worker.loop(), [this] { on_tick(); }),
      since_(worker.now()) {
  stream_->set_handler(this);
  timer_.set(worker.now() + kTick);
}

Session::~Session() = default;

void Session::on_readable() {
  for (int reads = 0; reads < kReadsPerTurn; ++reads) {
    if (state_ == State::kClosed) return;
    if (state_ == State::kReading && exchange_ && exchange_->upload_is_full()) return;
    const net::IoResult got = stream_->read(worker_.read_buffer());
    if (got.status == net::IoStatus::kWouldBlock) return;
    if (got.status != net::IoStatus::kOk) return peer_left();
    feed(std::string_view(worker_.read_buffer().data(), got.bytes));
  }
  check_at(worker_.now());  // more may be there, but others want their turn
}

void Session::read_more() {
  on_readable();
}

void Session::feed(std::string_view input) {
  std::string joined;
  if (state_ == State::kReading && !held_.empty()) {
    // What was set aside comes first.
    joined = std::exchange(held_, std::string());
    joined.append(input);
    input = joined;
  }
  if (state_ == State::kReading && !parser_.started()) since_ = worker_.now();
  received_ += input.size();
  while (state_ == State::kReading) {
    if (!parser_.started() && !input.empty()) lend_head_memory();
    const http::Parser::Step step = parser_.next(input);
    if (step == http::Parser::Step::kNeedMore) return;
    take(step);
  }
  if (state_ == State::kAnswering) hold(input);
  if (state_ == State::kLingering && received_ > kLingerBytesMax) close(After::kReset);
}

// An idle connection, and one that waits for its answer, holds no memory for a head.
void Session::lend_head_memory() {
  http::Head memory = worker_.take_head();
  parser_.swap_head(memory);
}

void Session::take(http::Parser::Step step) {
  switch (step) {
    case http::Parser::Step::kNeedMore:
      break;
    case http::Parser::Step::kHead:
      exchange_ = worker_.lend_exchange();
      exchange_->begin(*this, parser_);
      break;
    case http::Parser::Step::kBody:
      if (exchange_) exchange_->body(parser_.body());
      break;
    case http::Parser::Step::kComplete:
      state_ = State::kAnswering;
      received_ = 0;
      exchange_->request_complete();
      break;
    case http::Parser::Step::kRefused:
      refuse(http::status_of(parser_.refusal()), http::sentence_of(parser_.refusal()),
             "bad_request",
             parser_.refusal() == http::Refusal::kBodyTooLarge ? RefusedBecause::kTooLarge
                                                               : RefusedBecause::kHttp);
      break;
  }
}

void Session::hold(std::string_view input) {
  if (input.empty()) return;
  if (held_.size() + input.size() > worker_.shared().settings.limits.pipelined_bytes) {
    worker_.count_refusal(RefusedBecause::kPipelined);
    if (exchange_) exchange_->abandon(flight::SubscriberEnding::kClientGone);
    return close(After::kReset);
  }
  held_.append(input);
}

void Session::exchange_over(After after) {
  if (state_ == State::kClosed) return;
  worker_.take_back(std::move(exchange_));
  // Answered before the request was read to its end: nothing after it can be trusted.
  if (state_ == State::kReading && after != After::kReset) return linger();
  if (worker_.shared().draining.load(std::memory_order_relaxed) && after == After::kKeepAlive)
    after = After::kClose;
  if (after != After::kKeepAlive) return close(after);
  state_ = State::kReading;
  since_ = worker_.now();
  received_ = 0;
  if (held_.empty()) return;
  // Later in this batch, so that a long pipeline does not become a deep stack. The session is
  // destroyed by a later deferred task at the earliest.
  worker_.loop().defer([this] {
    if (state_ != State::kReading || held_.empty()) return;
    feed({});
  });
}

void Session::refuse(int status, std::string_view message, std::string_view code,
                     RefusedBecause because) {
  worker_.count_refusal(because);
  const bool answering = exchange_ && exchange_->answering();
  const contract::Dialect dialect = exchange_ ? exchange_->dialect() : contract::Dialect::kOpenAi;
  if (exchange_) exchange_->abandon(flight::SubscriberEnding::kRefused);
  // Inside another answer it would be read as a part of that.
  if (answering) return close(After::kReset);
  flight::AnswerHead answer;
  const std::string body = error_body(status, message, code, dialect);
  answer.status = status;
  answer.shared_fields = "content-type: application/json\r\n";
  answer.body = flight::AnswerHead::Body::kLength;
  answer.content_length = body.size();
  std::string out;
  const std::string id = worker_.make_id('r');
  CallerHead caller;
  caller.request_id = id;
  caller.date = worker_.http_date();
  worker_.shared().log.event(telemetry::Level::kInfo, "refused",
                             {{"status", status}, {"reason", code}, {"request", id}});
  caller.connection = CallerHead::Connection::kClose;
  append_caller_head(out, answer, caller);
  out += body;
  stream_->write(std::string_view(out));
  linger();
}

// RFC 9112 section 9.6: closing with unread bytes would reset the connection and take the answer
// with it; so the write side ends now and the rest is read and thrown away for a while.
void Session::linger() {
  stream_->shutdown_write();
  state_ = State::kLingering;
  since_ = worker_.now();
  received_ = 0;
  held_.clear();
  check_at(worker_.now());  // reading may have stopped for a full upload
}

void Session::peer_left() {
  if (!exchange_) return close(After::kClose);
  exchange_->abandon(flight::SubscriberEnding::kClientGone);
  // Perhaps it ended only its own side; an answer that only the close would end must not look
  // whole.
  close(After::kReset);
}

void Session::close(After after) {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  if (after == After::kReset) {
    stream_->reset();
  } else {
    stream_->close();
  }
  worker_.retire(*this);
}

void Session::on_writable() {
  if (exchange_ && state_ != State::kClosed) exchange_->on_writable();
}

void Session::check_at(Time at) {
  timer_.set(std::min(at, timer_.deadline()));
}

void Session::on_tick() {
  // The timer that is calling must not be destroyed: whatever closes, closes after the batch.
  const Time now = worker_.now();
  timer_.set(now + kTick);
  if (state_ == State::kClosed) return;
  if (expired(now)) return;
  if (state_ == State::kLingering) check_at(since_ + kLingerTime);
  // A streamed upload has its deadline while it is still being read.
  if (exchange_ && (state_ == State::kAnswering || exchange_->flying())) {
    check_at(exchange_->on_tick(now));
  }
  if (state_ != State::kAnswering) on_readable();
}

bool Session::expired(Time now) {
  const config::Settings::Limits& limits = worker_.shared().settings.limits;
  if (state_ == State::kLingering && now - since_ >= kLingerTime) {
    close(After::kClose);
    return true;
  }
  if (state_ != State::kReading) return false;
  if (!parser_.started()) {
    if (now - since_ < limits.keep_alive_idle) return false;
    close(After::kClose);
    return true;
  }
  const double allowed = to_seconds(now - since_ - limits.head_time) *
                         static_cast<double>(limits.body_bytes_per_second);
  const bool late = exchange_
                        ? static_cast<double>(received_) < allowed && !exchange_->upload_is_full()
                        : now - since_ >= limits.head_time;
  if (!late) return false;
  refuse(408, "The request did not arrive in time.", "request_timeout", RefusedBecause::kTooSlow);
  return true;
}

void Session::drain() {
  if (state_ == State::kReading && !parser_.started()) close(After::kClose);
}

void Session::shut_down() {
  if (exchange_) exchange_->abandon(flight::SubscriberEnding::kShutdown);
  close(After::kReset);
}

}  // namespace slipstream::gateway
