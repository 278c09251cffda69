// HTTP/1.1 client for one endpoint with a pool of clean connections.
//
// A connection goes back to the pool only when its answer was read to its framed end, nothing came
// behind it, both sides agreed to keep it, and the whole request was sent. The last one used is
// reused first; idle ones are closed after idle_ms, earlier than the servers do it.
// Thread rule: one Client per worker, its loop's thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "http/parser.h"
#include "net/loop.h"
#include "net/stream.h"
#include "upstream/attempt.h"

namespace slipstream::upstream {

struct ClientOptions {
  net::Address endpoint{};
  long long connect_timeout_ms = 2000;
  long long write_timeout_ms = 10'000;
  long long idle_ms = 4000;
  std::size_t connections_max = 1024;
  std::size_t idle_max = 256;
};

class Connection;
class HttpAttempt;

class Client final : public Upstream {
 public:
  Client(net::Loop& loop, net::Connector& connector, const ClientOptions& options);
  ~Client() override;

  std::unique_ptr<Attempt> start(Call call, AttemptHandler* handler) override;

  // Any thread, for gauges.
  std::size_t idle_connections() const { return idle_count_.load(std::memory_order_relaxed); }
  std::size_t busy_connections() const { return busy_count_.load(std::memory_order_relaxed); }

 private:
  friend class Connection;
  friend class HttpAttempt;

  // A clean idle connection, or null.
  std::unique_ptr<Connection> take_idle();
  void give_back(std::unique_ptr<Connection> connection);
  // An idle connection that the server closed or wrote to.
  void drop_idle(Connection* connection);
  void close_expired();
  void update_gauges();
  // Only a connection whose answer's head is being read has memory for a head.
  void lend_head(http::Parser& parser);
  void take_back_head(http::Parser& parser);

  struct Idle {
    std::unique_ptr<Connection> connection;
    Time since;
  };

  net::Loop& loop_;
  net::Connector& connector_;
  const ClientOptions options_;
  std::vector<Idle> idle_;  // oldest first
  std::vector<http::Head> heads_;
  std::size_t busy_ = 0;    // attempts that hold or are making a connection
  net::Timer expiry_;
  std::vector<char> buffer_;  // shared by all connections: filled and emptied within one callback
  std::atomic<std::size_t> idle_count_{0};
  std::atomic<std::size_t> busy_count_{0};
};

}  // namespace slipstream::upstream
