// The gateway under test: the real gateway::Server with two workers on a free port, in-process.
//
// Thread rule: the test's thread. Lifetime: callers are made from it and end before it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "gateway/server.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

namespace slipstream::faults {

class LineSink;
class Upstream;

class Gate {
 public:
  using Options = std::vector<std::pair<std::string, std::string>>;  // option name, value
  // `yaml`: a configuration file, for what only a file can hold.
  explicit Gate(const Upstream& upstream, const Options& options = {}, std::string_view yaml = {});
  ~Gate();

  std::uint16_t port() const { return port_; }
  gateway::Server& server() { return *server_; }

  std::uint64_t total(telemetry::Counter counter) const { return metrics_->total(counter); }
  std::uint64_t upstream_calls() const { return total(telemetry::Counter::kUpstreamCalls); }
  std::uint64_t leaders() const { return total(telemetry::Counter::kLeaders); }
  std::uint64_t followers() const { return total(telemetry::Counter::kFollowers); }
  // The sum of a labelled counter's series whose last label has that value.
  std::uint64_t labelled(std::string_view metric, std::string_view value) const;
  std::uint64_t flights_ended(std::string_view ending) const {
    return labelled("slipstream_flight_endings_total", ending);
  }
  std::uint64_t callers_ended(std::string_view ending) const {
    return labelled("slipstream_subscriber_endings_total", ending);
  }
  // A caller has its bytes before its ending is counted: waits for `count` endings, expects no
  // more.
  void expect_callers_ended(std::string_view ending, std::uint64_t count);
  std::uint64_t replay_bytes() { return server_->shared().replay_budget.held(); }

  void wait_followers(std::uint64_t count);
  void wait_subscribers(std::uint64_t count);
  // Nothing runs: no flight, no subscriber, no upstream call, no byte held.
  void wait_quiet();
  // A log line that contains all of `words`.
  void wait_logged(const std::vector<std::string_view>& words);
  bool logged(std::string_view word) const;
  std::string metrics_page() const { return metrics_->expose(); }

 private:
  SystemClock clock_;
  std::shared_ptr<LineSink> lines_;
  std::unique_ptr<telemetry::Log> log_;
  std::unique_ptr<telemetry::Metrics> metrics_;
  std::unique_ptr<gateway::Server> server_;
  std::uint16_t port_ = 0;
};

// Descriptors that this process has open.
std::size_t open_descriptors();
// Resident memory of this process in bytes.
std::uint64_t resident_bytes();

}  // namespace slipstream::faults
