// The gateway to be counted: production workers with their clients on one real loop, which the test
// turns, between callers and an upstream that are sockets of the test.
//
// One loop for all workers makes every count the same in every run; threads add nothing to them.
// Thread rule: the test's thread.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "gates/peer.h"
#include "gateway/worker.h"
#include "net/connector.h"
#include "net/reactor.h"
#include "net/socket.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"
#include "upstream/client.h"

namespace slipstream::gates {

// Passes wake-ups on and counts them.
class CountingPort final : public flight::WakePort {
 public:
  explicit CountingPort(flight::WakePort& to) : to_(to) {}
  void wake(flight::FlightRef flight) override;
  std::uint64_t wakes() const { return wakes_; }

 private:
  flight::WakePort& to_;
  std::uint64_t wakes_ = 0;
};

class World {
 public:
  explicit World(std::size_t workers);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Connects a caller to that worker; the gateway accepts it when the loop turns.
  Peer& add_caller(std::size_t worker = 0);
  std::vector<Peer>& callers() { return callers_; }
  // The upstream's connections in order of acceptance.
  std::vector<Peer>& upstream() { return upstream_; }

  // Turns the loop until `done()`; takes no memory of its own.
  template <typename Done>
  void until(const Done& done) {
    EXPECT_TRUE(reactor_.run_until(std::cref(done), seconds(20))) << "it never happened";
  }
  // The upstream has `count` whole requests that came since its peers' forget().
  void until_called(std::size_t count);
  // Every caller's last bytes are `end`.
  void until_all_read(std::string_view end);
  void until_followers(std::uint64_t count);

  std::uint64_t upstream_calls() const {
    return metrics_->total(telemetry::Counter::kUpstreamCalls);
  }
  // Wake-ups so far, of all workers, by whomever.
  std::uint64_t wakes() const;

 private:
  struct Crew;
  static constexpr std::size_t kPeersMax = 4096;

  Door door_;
  SystemClock clock_;
  telemetry::Log log_{telemetry::Level::kOff, telemetry::LogFormat::kText, clock_};
  net::Reactor reactor_{clock_};
  net::TcpConnector connector_{reactor_, nullptr};
  std::unique_ptr<telemetry::Metrics> metrics_;
  std::unique_ptr<gateway::Shared> shared_;
  std::vector<std::unique_ptr<Crew>> crews_;
  std::vector<Peer> callers_;
  std::vector<Peer> upstream_;
};

// A chat request with that body, as a client library sends it.
std::string request_of(std::string_view body);
// "HTTP/1.1 200 OK" with `body` and its length.
std::string answer_of(std::string_view body);
// The head of a chunked event stream, and one chunk of it.
inline constexpr std::string_view kStreamHead =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
inline constexpr std::string_view kStreamEnd = "0\r\n\r\n";
std::string chunk_of(std::string_view events);

}  // namespace slipstream::gates
