// One caller's connection: reads requests, runs one exchange at a time, notices when the caller
// left.
//
// There is always exactly one thing to wait for: bytes. Idle, they are the next request; while an
// answer is on its way, they are a pipelined request (set aside, bounded) or the end of the caller.
// A half-close after the request counts as leaving: it cannot be told from it.
// Thread rule: its worker's. Destroyed by Worker::retire() only.
#pragma once

#include <boost/intrusive/list.hpp>
#include <memory>
#include <string>

#include "gateway/exchange.h"
#include "http/parser.h"
#include "net/loop.h"
#include "net/stream.h"

namespace slipstream::gateway {

class Worker;

class Session final : public net::StreamHandler, public boost::intrusive::list_base_hook<> {
 public:
  Session(Worker& worker, std::unique_ptr<net::ByteStream> stream);
  ~Session();

  // For its exchange.
  Worker& worker() { return worker_; }
  net::ByteStream& stream() { return *stream_; }
  contract::ScopeMemo& scope_memo() { return scope_memo_; }
  // The exchange is over; the connection goes on or ends.
  void exchange_over(After after);
  // A paused upload may go on.
  void read_more();
  // A deadline of the exchange moved earlier.
  void check_at(Time at);

  void drain();
  void shut_down();

  void on_readable() override;
  void on_writable() override;

 private:
  enum class State {
    kReading,    // waiting for a request or in the middle of one
    kAnswering,  // the request is here, the answer is not finished
    kLingering,  // an early error was sent; what still comes is thrown away
    kClosed,
  };
  static constexpr int kReadsPerTurn = 16;
  static constexpr Duration kTick = seconds(5);
  static constexpr Duration kLingerTime = seconds(5);
  static constexpr std::uint64_t kLingerBytesMax = 64 * 1024 * 1024;

  void feed(std::string_view input);
  void lend_head_memory();
  void take(http::Parser::Step step);
  void hold(std::string_view input);
  void refuse(int status, std::string_view message, std::string_view code, RefusedBecause because);
  void linger();
  void peer_left();
  void close(After after);
  void on_tick();
  bool expired(Time now);

  Worker& worker_;
  std::unique_ptr<net::ByteStream> stream_;
  http::Parser parser_;
  std::unique_ptr<Exchange> exchange_;
  std::string held_;  // pipelined bytes
  contract::ScopeMemo scope_memo_;
  net::Timer timer_;
  Time since_;  // kReading: first byte of the request or start of idleness; kLingering: its start
  std::uint64_t received_ = 0;  // bytes of this request; kLingering: bytes thrown away
  State state_ = State::kReading;
};

}  // namespace slipstream::gateway
