#include "lab/stub_connection.h"

#include <array>

#include "base/text.h"
#include "http/write.h"

namespace slipstream::lab {

namespace {

constexpr std::size_t kHeldMax = 1024 * 1024;  // pipelined bytes
constexpr std::size_t kUnsentMax = 64 * 1024;  // generation waits for the caller beyond this
constexpr Duration kLinger = seconds(1);       // RFC 9112 section 9.6

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

StubConnection::StubConnection(net::Loop& loop, std::unique_ptr<net::ByteStream> stream,
                               StubState& state, std::function<void()> on_closed)
    : loop_(loop),
      stream_(std::move(stream)),
      stub_(state),
      on_closed_(std::move(on_closed)),
      parser_(http::Parser::Kind::kRequest, http::Limits{}),
      timer_(loop, [this] { state_ == State::kLingering ? close() : advance(); }) {
  stream_->set_handler(this);
}

void StubConnection::on_readable() {
  receive();
  advance();
}

void StubConnection::on_writable() {
  flush();
  advance();
}

void StubConnection::advance() {
  while (state_ == State::kOpen && after_flush_ == AfterFlush::kKeep) {
    if (call_) {
      if (run_call()) continue;
      if (peer_done_) caller_gone();
      break;
    }
    if (!next_request() && !receive()) break;
  }
  flush();
  if (peer_done_ && !call_ && out_.empty()) close();
}

bool StubConnection::receive() {
  std::array<char, 16 * 1024> bytes;
  bool any = false;
  while (state_ != State::kClosed && !peer_done_ && held_.size() - held_at_ < kHeldMax) {
    const net::IoResult got = stream_->read(bytes);
    if (got.status == net::IoStatus::kWouldBlock) break;
    if (got.status == net::IoStatus::kEof) {
      peer_done_ = true;
    } else if (got.status == net::IoStatus::kError) {
      caller_gone();
    } else if (state_ == State::kOpen) {  // lingering: read and forget
      held_.append(bytes.data(), got.bytes);
      any = true;
    }
  }
  return any;
}

bool StubConnection::next_request() {
  std::string_view input = std::string_view(held_).substr(held_at_);
  const http::Parser::Step step = parser_.next(input);
  held_at_ = held_.size() - input.size();
  switch (step) {
    case http::Parser::Step::kNeedMore:
      held_.clear();
      held_at_ = 0;
      return false;
    case http::Parser::Step::kHead:
      body_.clear();
      if (parser_.head().expects_continue() && input.empty()) out_ += kContinue;
      return true;
    case http::Parser::Step::kBody:
      body_ += parser_.body();
      return true;
    case http::Parser::Step::kComplete:
      dispatch();
      return true;
    case http::Parser::Step::kRefused:
      break;
  }
  const int status = http::status_of(parser_.refusal());
  const std::string body =
      error_object(ErrorShape::kOpenAi, status, http::sentence_of(parser_.refusal()));
  http::append_status_line(out_, status);
  http::append_field(out_, "content-type", "application/json");
  http::append_field(out_, "content-length", body.size());
  http::append_field(out_, "connection", "close");
  http::append_end_of_head(out_);
  out_ += body;
  after_flush_ = AfterFlush::kClose;
  return true;
}

void StubConnection::dispatch() {
  const auto surface = surface_at(parser_.head().path());
  if (surface && parser_.head().method() == "POST") return begin_call(*surface);
  serve_page();
}

void StubConnection::serve_page() {
  const std::string_view method = parser_.head().method();
  const std::string_view path = parser_.head().path();
  const StubOptions& options = stub_.options();
  if (path == "/stub/stats") return respond(200, stub_.stats().to_json());
  if (path == "/stub/reset" && method == "POST") {
    stub_.reset();
    return respond(200, "{}");
  }
  if (path == "/stub/identity") {
    const auto wrong = stub_.set_identity(method == "POST" ? std::string_view(body_) : "");
    return wrong ? refuse(400, wrong->message) : respond(200, options.identity.to_json());
  }
  const auto page = identity_page(method, path, options.identity, options.model);
  page ? respond(200, *page) : refuse(404, "the stub has no such endpoint");
}

void StubConnection::begin_call(Surface surface) {
  const ErrorShape errors = dialect_of(surface).errors;
  const std::string_view type = parser_.head().find("content-type");
  const auto request = read_stub_request(surface, type, body_, canonicalizer_);
  if (!request) return refuse(400, request.error(), errors);
  auto plan = stub_.begin(*request, loop_.now());
  if (!plan) return refuse(400, plan.error().message, errors);
  StubScript& script = plan->script;
  const auto compute = dialect_of(surface).compute;
  if (compute) script.tokens = 0;
  call_.emplace(
      Call{.writer = AnswerWriter(*request, plan->number, script.tokens, script.token_bytes),
           .timeline = Timeline(script, request->delivery, request->usage, plan->load_wait),
           .script = script,
           .body = {},
           .step = {},
           .due = {}});
  if (request->delivery == Delivery::kWhole) {
    call_->body = compute ? compute(*request, plan->number) : call_->writer.whole();
  }
  call_->step = call_->timeline.next();
  call_->due = loop_.now() + call_->step.after;
}

bool StubConnection::run_call() {
  while (call_->due <= loop_.now()) {
    if (out_.size() - out_at_ > kUnsentMax) {
      flush();
      if (state_ != State::kOpen) return true;
      if (out_.size() - out_at_ > kUnsentMax) return false;  // on_writable() goes on
    }
    const Step step = call_->step;
    if (step.kind == StepKind::kSilence) {
      call_->due = kNever;
      return false;
    }
    if (is_last(step.kind)) {
      play_last(step.kind);
      return true;
    }
    play(step);
    call_->step = call_->timeline.next();
    call_->due += call_->step.after;
  }
  if (call_->due != kNever) timer_.set(call_->due);
  return false;
}

void StubConnection::play(const Step& step) {
  if (step.kind == StepKind::kHead) open_stream();
  if (step.kind == StepKind::kToken) {
    stub_.count_tokens(static_cast<std::uint64_t>(call_->writer.choices()));
  }
  events_.clear();
  call_->writer.append(events_, step.kind, step.token);
  append_body(events_);
}

void StubConnection::play_last(StepKind kind) {
  const std::string& body = call_->body;
  const bool whole = !body.empty();
  const std::string_view type = call_->writer.whole_type();
  const int error = call_->script.error ? call_->script.error : 500;
  switch (kind) {
    case StepKind::kAnswer:
      stub_.count_tokens(call_->writer.tokens_total());
      respond(200, body, body.size(), type);
      return end_call(AfterFlush::kKeep);
    case StepKind::kError:
      refuse(error, "the stub was told to fail", call_->writer.dialect().errors);
      return end_call(AfterFlush::kKeep);
    case StepKind::kCutFin:
    case StepKind::kCutReset:
      if (whole) respond(200, body, body.size() / 2, type);
      return end_call(kind == StepKind::kCutFin ? AfterFlush::kClose : AfterFlush::kReset);
    default:
      break;
  }
  if (whole) {  // cut, but the framing does not show it
    respond(200, std::string_view(body).substr(0, body.size() / 2), body.size() / 2, type);
    return end_call(AfterFlush::kKeep);
  }
  const bool chunked = framing_ == BodyFraming::kChunked;
  if (chunked) out_ += http::kLastChunk;
  end_call(chunked && parser_.head().keep_alive() ? AfterFlush::kKeep : AfterFlush::kClose);
}

void StubConnection::end_call(AfterFlush after) {
  stub_.end(StubState::Ending::kAnswered);
  call_.reset();
  timer_.cancel();
  if (after != AfterFlush::kKeep) after_flush_ = after;
}

void StubConnection::open_stream() {
  const http::Head& head = parser_.head();
  framing_ = head.minor_version() == 0 ? BodyFraming::kUntilClose : BodyFraming::kChunked;
  http::append_status_line(out_, 200);
  http::append_field(out_, "content-type", call_->writer.stream_type());
  http::append_field(out_, "cache-control", "no-cache");
  if (framing_ == BodyFraming::kChunked) http::append_field(out_, "transfer-encoding", "chunked");
  if (!head.keep_alive() || framing_ == BodyFraming::kUntilClose) {
    http::append_field(out_, "connection", "close");
  }
  http::append_end_of_head(out_);
}

void StubConnection::append_body(std::string_view bytes) {
  if (bytes.empty()) return;  // an empty chunk would end the body
  if (framing_ == BodyFraming::kUntilClose) {
    out_ += bytes;
    return;
  }
  http::append_chunk_head(out_, bytes.size());
  out_ += bytes;
  out_ += http::kChunkTail;
}

void StubConnection::refuse(int status, std::string_view message, ErrorShape shape) {
  respond(status, error_object(shape, status, message));
}

void StubConnection::respond(int status, std::string_view body, std::size_t bytes_sent,
                             std::string_view type) {
  const http::Head& head = parser_.head();
  http::append_status_line(out_, status);
  http::append_field(out_, "content-type", type);
  http::append_field(out_, "content-length", body.size());
  if (call_ && status >= 400 && call_->script.retry_after >= 0) {
    http::append_field(out_, "retry-after", static_cast<std::uint64_t>(call_->script.retry_after));
  }
  if (!head.keep_alive()) {
    http::append_field(out_, "connection", "close");
    after_flush_ = AfterFlush::kClose;
  }
  http::append_end_of_head(out_);
  if (head.method() != "HEAD") out_ += body.substr(0, bytes_sent);
}

void StubConnection::flush() {
  while (state_ == State::kOpen && out_at_ < out_.size()) {
    const net::IoResult sent = stream_->write(std::string_view(out_).substr(out_at_));
    if (sent.status == net::IoStatus::kWouldBlock) return;
    if (sent.status != net::IoStatus::kOk) return caller_gone();
    out_at_ += sent.bytes;
  }
  if (state_ != State::kOpen) return;
  out_.clear();
  out_at_ = 0;
  if (after_flush_ == AfterFlush::kReset) {
    stream_->reset();
    close();
  } else if (after_flush_ == AfterFlush::kClose) {
    // Closing at once could reset the connection under an answer the caller has not read yet.
    state_ = State::kLingering;
    stream_->shutdown_write();
    timer_.set(loop_.now() + kLinger);
  }
}

void StubConnection::caller_gone() {
  if (call_) stub_.end(StubState::Ending::kCallerGone);
  call_.reset();
  close();
}

void StubConnection::close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  timer_.cancel();
  stream_->close();
  on_closed_();
}

}  // namespace slipstream::lab
