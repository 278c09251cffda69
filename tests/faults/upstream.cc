#include "faults/upstream.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "http/write.h"

namespace slipstream::faults {

namespace {
constexpr http::Limits kLimits{64 * 1024, 256 * 1024, 200, UINT64_MAX};
// Promised and never kept, so that the end of the connection cuts the body short.
constexpr std::string_view kLongLength = "content-length: 1000000\r\n";
}  // namespace

Connection::Connection(int fd, int at)
    : wire(fd), parser(http::Parser::Kind::kRequest, kLimits), number(at) {}

// A view of the parser lives in the input: what it says is taken before the input moves on.
http::Parser::Step Call::read_step() {
  std::string_view input = connection_.input;
  const http::Parser::Step step = connection_.parser.next(input);
  if (step == http::Parser::Step::kBody) body_ += connection_.parser.body();
  connection_.input.erase(0, connection_.input.size() - input.size());
  const bool stuck = step == http::Parser::Step::kNeedMore &&
                     connection_.wire.read(connection_.input) != Wire::Got::kBytes;
  if (stuck || step == http::Parser::Step::kRefused)
    throw std::runtime_error("the upstream waited in vain for the request's body");
  return step;
}

void Call::wait_body(std::size_t bytes) {
  while (body_.size() < bytes) {
    if (read_step() == http::Parser::Step::kComplete)
      throw std::runtime_error("the request's body is shorter than expected");
  }
}

void Call::wait_complete() {
  while (read_step() != http::Parser::Step::kComplete) {
  }
  connection_.state = Connection::State::kAnswering;
}

void Call::start_stream(Transfer transfer, std::string_view fields, std::string_view content_type) {
  transfer_ = transfer;
  std::string head = "HTTP/1.1 200 OK\r\ncontent-type: ";
  head += content_type;
  head += "\r\n";
  head += fields;
  if (transfer == Transfer::kChunked) head += "transfer-encoding: chunked\r\n";
  if (transfer == Transfer::kUntilClose) head += "connection: close\r\n";
  if (transfer == Transfer::kLength) head += kLongLength;
  send(head + "\r\n");
}

void Call::stream(std::string_view bytes) {
  if (transfer_ != Transfer::kChunked) {
    send(bytes);
    return;
  }
  if (bytes.empty()) return;  // an empty chunk would be the last one
  std::string chunk;
  http::append_chunk_head(chunk, bytes.size());
  chunk += bytes;
  chunk += http::kChunkTail;
  send(chunk);
}

void Call::end_stream() {
  if (transfer_ != Transfer::kChunked) return fin();
  send(http::kLastChunk);
  connection_.state = Connection::State::kIdle;
}

void Call::answer(int status, std::string_view body, std::string_view fields) {
  std::string out = "HTTP/1.1 " + std::to_string(status) + " Scripted\r\n";
  out += fields;
  out += "content-length: " + std::to_string(body.size()) + "\r\n\r\n";
  out += body;
  connection_.state = Connection::State::kIdle;
  send(out);
}

void Call::fin() {
  connection_.state = Connection::State::kOver;
  connection_.wire.fin();
}

void Call::reset() {
  connection_.state = Connection::State::kOver;
  connection_.wire.reset();
}

bool Call::aborted(Duration wait) {
  return !connection_.wire.open() || connection_.wire.peer_left(wait);
}

Upstream::Upstream() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&name), size) != 0 ||
      ::listen(listener_, 1024) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&name), &size) != 0)
    throw std::runtime_error("the upstream cannot listen");
  port_ = ntohs(name.sin_port);
}

Upstream::~Upstream() {
  stop_listening();
}

void Upstream::stop_listening() {
  if (listener_ >= 0) ::close(std::exchange(listener_, -1));
}

Call& Upstream::wait_call() {
  if (Call* call = next(Until::kComplete, kPatience)) return *call;
  throw std::runtime_error("the upstream waited in vain for a call");
}

Call& Upstream::wait_head() {
  if (Call* call = next(Until::kHead, kPatience)) return *call;
  throw std::runtime_error("the upstream waited in vain for a call's head");
}

Call* Upstream::try_call(Duration wait) {
  return next(Until::kComplete, wait);
}

Call* Upstream::next(Until until, Duration wait) {
  const Time give_up = now() + wait;
  for (;;) {
    std::vector<pollfd> entries;
    std::vector<Connection*> owners;
    for (Connection& connection : connections_) {
      if (connection.state != Connection::State::kIdle) continue;
      if (!connection.input.empty()) {
        if (Call* call = advance(connection, until)) return call;
      }
      entries.push_back({connection.wire.fd(), POLLIN, 0});
      owners.push_back(&connection);
    }
    if (listener_ >= 0) entries.push_back({listener_, POLLIN, 0});
    const auto left = std::max<Duration>(give_up - now(), Duration::zero());
    if (::poll(entries.data(), entries.size(), static_cast<int>(to_ms(left))) <= 0) return nullptr;
    if (listener_ >= 0 && entries.back().revents != 0) accept();
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (entries[i].revents == 0) continue;
      if (owners[i]->wire.read(owners[i]->input) == Wire::Got::kBytes) {
        if (Call* call = advance(*owners[i], until)) return call;
      } else {
        owners[i]->state = Connection::State::kOver;
        owners[i]->wire.close();
      }
    }
  }
}

// Parses a head; a call begins with it.
Call* Upstream::advance(Connection& connection, Until until) {
  std::string_view input = connection.input;
  const http::Parser::Step step = connection.parser.next(input);
  connection.input.erase(0, connection.input.size() - input.size());
  if (step == http::Parser::Step::kRefused) throw std::runtime_error("the gateway sent no HTTP");
  if (step != http::Parser::Step::kHead) return nullptr;
  connection.state = Connection::State::kReading;
  Call& call = calls_.emplace_back(connection);
  call.head_ = connection.parser.take_head();
  if (until == Until::kComplete) call.wait_complete();
  return &call;
}

void Upstream::accept() {
  const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd >= 0) connections_.emplace_back(fd, static_cast<int>(connections_.size()) + 1);
}

}  // namespace slipstream::faults
