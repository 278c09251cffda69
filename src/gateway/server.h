// The gateway as a running thing: W workers on W threads, started, drained and stopped together.
//
// Thread rule: construct, start and destroy on one thread; drain(), stop() and the gauges from any.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "gateway/address_limit.h"
#include "gateway/shared.h"
#include "net/socket.h"
#include "net/tls.h"

namespace slipstream::gateway {

// Why the gateway cannot run, as one line for the operator.
struct StartError {
  std::string message;
};

class Server {
 public:
  // `metrics` must have been made for worker_count(settings) workers. All outlive the server.
  static Result<std::unique_ptr<Server>, StartError> create(const config::Settings& settings,
                                                            telemetry::Metrics& metrics,
                                                            telemetry::Log& log,
                                                            const Clock& clock);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  static std::size_t worker_count(const config::Settings& settings);

  const std::string& address() const { return address_; }  // with the real port
  Shared& shared() { return *shared_; }

  // Precondition: called once, before not_ready().
  void start();
  // Why callers should not be sent here now, in one word; empty if they may. The end of the first
  // look at the upstream is a new epoch, which would keep apart what came before and after it: it
  // is waited for, for at most two seconds. Any thread.
  std::string_view not_ready() const;
  // Returns when the first look is over, or those seconds are.
  void wait_first_look() const;
  // No new work; running answers finish, at the latest after settings.drain.timeout. Any thread.
  void drain();
  // Ends everything now. Any thread.
  void stop();
  // Returns when all workers have ended.
  void join();

  std::uint64_t live_flights() const;
  std::uint64_t live_subscribers() const;
  std::uint64_t idle_upstream_connections() const;
  std::uint64_t busy_upstream_connections() const;

 private:
  struct Crew;  // one worker with its thread's belongings
  Server();

  std::unique_ptr<net::TlsContext> caller_tls_;
  std::unique_ptr<net::TlsContext> upstream_tls_;
  std::unique_ptr<Shared> shared_;
  std::unique_ptr<AddressLimit> address_limit_;  // null: off
  Time started_at_ = kNever;
  std::promise<void> first_look_;
  const std::shared_future<void> first_look_over_ = first_look_.get_future().share();
  std::vector<std::unique_ptr<Crew>> crews_;
  std::string address_;
};

}  // namespace slipstream::gateway
