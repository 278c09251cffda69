// The scripted upstream: a listening socket whose every byte in either direction is the test's.
//
// There is no thread behind it: wait_call() accepts and reads until a request is there, everything
// else is an order on that Call. Its own log is calls() and what each Call remembers.
// Thread rule: one thread at a time. Calls stay valid as long as the Upstream.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "faults/wire.h"
#include "http/parser.h"

namespace slipstream::faults {

// How the upstream ends its answer's body.
enum class Transfer { kChunked, kUntilClose, kLength };

struct Connection {
  enum class State { kIdle, kReading, kAnswering, kOver };
  Connection(int fd, int number);

  Wire wire;
  http::Parser parser;
  int number;         // in order of acceptance, from 1
  std::string input;  // read, not parsed yet
  State state = State::kIdle;
};

class Call {
 public:
  explicit Call(Connection& connection) : connection_(connection) {}

  const http::Head& head() const { return head_; }
  std::string_view field(std::string_view name) const { return head_.find(name); }
  const std::string& body() const { return body_; }
  int connection() const { return connection_.number; }
  // The body holds at least `bytes` bytes; for requests that are read as they come.
  void wait_body(std::size_t bytes);
  void wait_complete();

  // Bytes as they are. False once the gateway is gone.
  bool send(std::string_view bytes) { return connection_.wire.send(bytes); }
  // Returns when the gateway has read what was sent: the next send() is another read there.
  void flush() { connection_.wire.flush(); }

  // The head of a stream; `fields` are further lines, each with its CRLF.
  void start_stream(Transfer transfer = Transfer::kChunked, std::string_view fields = {},
                    std::string_view content_type = "text/event-stream");
  // Event-stream bytes, framed as start_stream() said.
  void stream(std::string_view bytes);
  // The honest end of the stream's transport.
  void end_stream();
  // A whole answer with its length; the connection may carry another request.
  void answer(int status, std::string_view body, std::string_view fields = {});

  // A whole answer was sent by send(): the connection may carry another request.
  void done() { connection_.state = Connection::State::kIdle; }

  void fin();
  void reset();
  // The gateway closed its end. False if it did not within `wait`; zero looks once.
  bool aborted(Duration wait = Duration::zero());

 private:
  friend class Upstream;
  http::Parser::Step read_step();

  Connection& connection_;
  http::Head head_;
  std::string body_;
  Transfer transfer_ = Transfer::kChunked;
};

class Upstream {
 public:
  Upstream();
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  std::uint16_t port() const { return port_; }
  // The next request, whole (or only its head), on whatever connection it comes.
  Call& wait_call();
  Call& wait_head();
  // The same, or null if none came within `wait`.
  Call* try_call(Duration wait);
  std::size_t calls() const { return calls_.size(); }
  // Nobody can connect any more.
  void stop_listening();

 private:
  enum class Until { kHead, kComplete };
  Call* next(Until until, Duration wait);
  Call* advance(Connection& connection, Until until);
  void accept();

  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::deque<Connection> connections_;
  std::deque<Call> calls_;
};

}  // namespace slipstream::faults
