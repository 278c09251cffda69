#include "sim/sim_upstream.h"

#include <array>

#include "base/text.h"

namespace slipstream::sim {

namespace {
constexpr http::Limits kLimits{8 * 1024, 64 * 1024, 200, UINT64_MAX};

std::uint64_t number_after(std::string_view text, std::string_view marker) {
  const std::size_t at = text.find(marker);
  if (at == std::string_view::npos) return 0;
  std::string_view rest = text.substr(at + marker.size());
  rest = rest.substr(0, rest.find_first_not_of("0123456789"));
  return parse_decimal(rest).value_or(0);
}
}  // namespace

void SimUpstream::accept(std::unique_ptr<net::ByteStream> stream) {
  connections_.push_back(std::make_unique<UpstreamConnection>(*this, std::move(stream)));
}

void SimUpstream::finish() {
  evidence_.calls.assign(calls_.begin(), calls_.end());
}

UpstreamConnection::UpstreamConnection(SimUpstream& server, std::unique_ptr<net::ByteStream> stream)
    : server_(server),
      stream_(std::move(stream)),
      parser_(http::Parser::Kind::kRequest, kLimits),
      slow_(server.swarm_.slow_upload_reading && server.world_.chance(40)) {
  stream_->set_handler(this);
}

void UpstreamConnection::later(std::uint64_t delay_ms, void (UpstreamConnection::*what)()) {
  server_.world_.after(milliseconds(delay_ms), server_.loop_,
                       [this, what, guard = std::weak_ptr<int>(alive_)] {
                         if (guard.lock() && !over_) (this->*what)();
                       });
}

void UpstreamConnection::on_readable() {
  if (!slow_) return read_some();
  if (slow_read_waits_) return;
  slow_read_waits_ = true;
  later(server_.world_.below(40), &UpstreamConnection::read_slowly);
}

void UpstreamConnection::read_slowly() {
  slow_read_waits_ = false;
  std::array<char, 512> buffer;
  const net::IoResult got = stream_->read(buffer);
  if (got.status == net::IoStatus::kWouldBlock) return;
  if (got.status != net::IoStatus::kOk) return break_off();
  if (feed(std::string_view(buffer.data(), got.bytes))) on_readable();
}

void UpstreamConnection::read_some() {
  std::array<char, 16 * 1024> buffer;
  while (!over_) {
    const net::IoResult got = stream_->read(buffer);
    if (got.status == net::IoStatus::kWouldBlock) return;
    if (got.status != net::IoStatus::kOk) return break_off();
    if (!feed(std::string_view(buffer.data(), got.bytes))) return;
  }
}

bool UpstreamConnection::feed(std::string_view input) {
  for (;;) {
    const http::Parser::Step step = parser_.next(input);
    switch (step) {
      case http::Parser::Step::kNeedMore:
        return true;
      case http::Parser::Step::kHead:
        if (answering_) {
          server_.evidence_.faults.push_back("a request came before the last answer had ended");
        }
        note_head();
        break;
      case http::Parser::Step::kBody:
        upload_ += parser_.body();
        break;
      case http::Parser::Step::kComplete:
        begin_answer();
        if (over_) return false;
        break;
      case http::Parser::Step::kRefused:
        server_.evidence_.faults.push_back("the gateway's request is not clean HTTP: " +
                                           std::string(http::sentence_of(parser_.refusal())));
        break_off();
        return false;
    }
  }
}

void UpstreamConnection::note_head() {
  const http::Head& head = parser_.head();
  upload_.clear();
  said_ = 0;
  script_over_ = false;
  server_.calls_.emplace_back();
  call_ = &server_.calls_.back();
  call_->number = server_.calls_.size();
  call_->request_id = head.find("x-request-id");
  call_->authorization = head.find("authorization");
  call_->chat = head.path() == "/base/v1/chat/completions";
  server_.world_.note("call", call_->number);
}

void UpstreamConnection::begin_answer() {
  answering_ = true;
  if (call_->chat) {
    call_->prompt = number_after(upload_, R"("content":"p)");
    call_->streamed = upload_.find(R"("stream":true)") != std::string::npos;
  } else if (parser_.head().method() == "GET") {
    call_->streamed = parser_.head().query() == "stream";
  } else {
    call_->upload_intact = upload_ == upload_body(number_after(parser_.head().query(), "n="));
  }
  script_ = draw_script(server_.world_, server_.swarm_, *call_);
  call_->framed_end = script_.framing != Script::Framing::kUntilClose;
  reader_ = std::make_unique<ScriptReader>(server_.world_, script_, *call_);
  server_.world_.note("script", call_->number, static_cast<std::uint64_t>(script_.shape),
                      static_cast<std::uint64_t>(script_.trouble));
  if (script_.trouble == Script::Trouble::kGarbage) {
    out_ += "SSH-2.0-not-the-server-you-want\r\n";
    flush();
    return break_off();
  }
  later(reader_->delay_ms(), &UpstreamConnection::say_next);
}

void UpstreamConnection::say_next() {
  std::string piece = reader_->next();
  script_over_ = reader_->over() || piece.empty();
  const bool together = script_.trouble == Script::Trouble::kNone && server_.swarm_.whole_network();
  if (script_over_ && script_.after == Script::After::kSurplus && together) {
    // An answer to nobody, in one piece with the end of the last one.
    const std::string body = R"({"id":"c)" + std::to_string(call_->number) +
                             R"(.","choices":[{"finish_reason":"stop"}]})";
    piece +=
        "HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  say(std::move(piece));
  if (!over_ && !script_over_ && !silent_)
    later(reader_->delay_ms(), &UpstreamConnection::say_next);
}

void UpstreamConnection::say(std::string bytes) {
  const bool troubled = script_.trouble != Script::Trouble::kNone;
  if (!troubled || said_ + bytes.size() <= script_.cut_at) {
    said_ += bytes.size();
    out_ += bytes;
    return flush();
  }
  script_over_ = false;
  out_ += bytes.substr(0, static_cast<std::size_t>(script_.cut_at - said_));
  flush();
  if (over_) return;
  server_.world_.note("cut", call_->number, script_.cut_at);
  if (script_.trouble == Script::Trouble::kSilence) {
    silent_ = true;
    return;
  }
  if (script_.trouble == Script::Trouble::kReset) stream_->reset();
  break_off();
}

void UpstreamConnection::flush() {
  while (!out_.empty() && !over_) {
    const net::IoResult sent = stream_->write(std::string_view(out_));
    if (sent.status == net::IoStatus::kError) return break_off();
    out_.erase(0, sent.bytes);
    if (sent.status == net::IoStatus::kWouldBlock) return;
  }
  if (script_over_ && out_.empty() && call_) spoken();
}

// Everything was handed to the network.
void UpstreamConnection::spoken() {
  call_->whole = true;
  call_ = nullptr;
  answering_ = false;
  server_.world_.note("said all");
  switch (script_.after) {
    case Script::After::kKeep:
      return;
    case Script::After::kSurplus:
      if (server_.swarm_.whole_network()) return;
      out_ = "HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n";
      script_over_ = false;
      flush();
      return break_off();
    case Script::After::kClose:
      return break_off();
    case Script::After::kCloseSoon:
      return later(server_.world_.below(30), &UpstreamConnection::break_off);
  }
}

void UpstreamConnection::break_off() {
  if (over_) return;
  over_ = true;
  stream_->close();
}

}  // namespace slipstream::sim
