#include "upstream/connection.h"

#include <array>

#include "upstream/http_attempt.h"

namespace slipstream::upstream {

namespace {
// Answers are bounded by whoever collects them, not by the parser.
constexpr http::Limits kResponseLimits{8 * 1024, 64 * 1024, 200, UINT64_MAX};
}  // namespace

Connection::Connection(Client& client, std::unique_ptr<net::ByteStream> stream)
    : client_(client),
      stream_(std::move(stream)),
      parser_(http::Parser::Kind::kResponse, kResponseLimits),
      timer_(client.loop_,
             [this] {
               if (attempt_) attempt_->connection_deadline();
             }),
      again_(client.loop_, [this] { read_some(); }) {
  stream_->set_handler(this);
}

void Connection::serve(HttpAttempt* attempt, AnswerBody answer_body) {
  attempt_ = attempt;
  if (answer_body == AnswerBody::kNone) parser_.expect_no_body();
  ++served_;
  response_started_ = paused_ = clean_ = keep_ = false;
}

void Connection::detach() {
  attempt_ = nullptr;
  timer_.set(kNever);
  // Left over, it would read the idle connection and take it for one that the server wrote to.
  again_.set(kNever);
}

void Connection::send(std::string_view head, std::string_view body) {
  const std::array<iovec, 2> pieces = {iovec{const_cast<char*>(head.data()), head.size()},
                                       iovec{const_cast<char*>(body.data()), body.size()}};
  const net::IoResult sent = stream_->write(std::span(pieces.data(), body.empty() ? 1U : 2U));
  // A failed write is found out by the read that follows; keep what is left for the bookkeeping.
  std::size_t done = sent.bytes;
  if (done < head.size()) {
    rest_.assign(head.substr(done));
    rest_sent_ = 0;
    body_rest_ = body;
  } else {
    body_rest_ = body.substr(done - head.size());
  }
  if (sent.status == net::IoStatus::kError) again_.set(client_.loop_.now());
}

void Connection::upload(std::string_view bytes) {
  if (rest_sent_ > rest_.size() / 2) {
    // A steady upload may never drain to the last byte: what was sent must not pile up.
    rest_.erase(0, rest_sent_);
    rest_sent_ = 0;
  }
  rest_.append(bytes);
  flush();
}

void Connection::flush() {
  while (unsent() > 0) {
    const bool own = rest_sent_ < rest_.size();
    const std::string_view next = own ? std::string_view(rest_).substr(rest_sent_) : body_rest_;
    const net::IoResult sent = stream_->write(next);
    if (sent.status == net::IoStatus::kError) return again_.set(client_.loop_.now());
    if (own) {
      rest_sent_ += sent.bytes;
      if (rest_sent_ == rest_.size()) {
        rest_.clear();
        rest_sent_ = 0;
      }
    } else {
      body_rest_.remove_prefix(sent.bytes);
    }
    if (sent.bytes < next.size()) return;
  }
}

void Connection::on_writable() {
  const std::uint64_t before = unsent();
  flush();
  if (attempt_ && unsent() < before) attempt_->connection_took_bytes();
}

void Connection::resume() {
  if (!paused_) return;
  paused_ = false;
  again_.set(client_.loop_.now());
}

void Connection::on_readable() {
  read_some();
}

void Connection::read_some() {
  if (!attempt_ && served_ > 0) return client_.drop_idle(this);
  for (int reads = 0; reads < kReadsPerTurn; ++reads) {
    if (paused_ || !attempt_) return;
    const net::IoResult got = stream_->read(client_.buffer_);
    if (got.status == net::IoStatus::kWouldBlock) return;
    if (got.status != net::IoStatus::kOk) return closed(got.status);
    response_started_ = true;
    if (!feed(std::string_view(client_.buffer_.data(), got.bytes))) return;
    attempt_->batch();
  }
  if (attempt_) again_.set(client_.loop_.now());
}

bool Connection::feed(std::string_view input) {
  for (;;) {
    if (!parser_.started() && !input.empty()) client_.lend_head(parser_);
    switch (parser_.next(input)) {
      case http::Parser::Step::kNeedMore:
        return true;
      case http::Parser::Step::kHead:
        final_ = parser_.head().status() >= 200;
        if (!final_) break;
        keep_ = parser_.head().keep_alive();
        attempt_->head(parser_.head());
        client_.take_back_head(parser_);
        break;
      case http::Parser::Step::kBody:
        attempt_->body(parser_.body());
        break;
      case http::Parser::Step::kComplete:
        if (!final_) break;
        finish_message(input);
        return false;
      case http::Parser::Step::kRefused:
        attempt_->failed(FailureClass::kMalformed);
        return false;
    }
    if (!attempt_) return false;
  }
}

void Connection::finish_message(std::string_view rest) {
  clean_ = keep_ && rest.empty() && unsent() == 0;
  // A FIN or surplus bytes that came along would make no further edge; on a drained socket this
  // costs nothing.
  if (clean_) clean_ = stream_->read(client_.buffer_).status == net::IoStatus::kWouldBlock;
  attempt_->complete();
}

void Connection::closed(net::IoStatus status) {
  if (status == net::IoStatus::kEof && response_started_) {
    if (parser_.finish() == http::Parser::Step::kComplete && final_) {
      return attempt_->complete();
    }
    return attempt_->failed(FailureClass::kCut);
  }
  const bool stale = reused() && !response_started_;
  attempt_->failed(stale ? FailureClass::kStale : FailureClass::kCut);
}

}  // namespace slipstream::upstream
