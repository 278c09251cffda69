// The gateway with everything around it: settings, log, metrics, admin pages, signals.
// Thread rule: one thread runs it; the gateway's workers have their own.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "admin/admin_server.h"
#include "base/memory.h"
#include "base/result.h"
#include "config/settings.h"
#include "gateway/doorman.h"
#include "gateway/server.h"
#include "net/reactor.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

namespace slipstream::cli {

class GatewayProcess {
 public:
  static Result<std::unique_ptr<GatewayProcess>, gateway::StartError> create(
      const config::Settings& settings);
  ~GatewayProcess();

  const std::string& address() const { return server_->address(); }
  // Empty when there is no admin address.
  std::string admin_address() const { return admin_ ? admin_->address() : ""; }
  gateway::Server& server() { return *server_; }

  // Serves until the first SIGTERM or SIGINT, then drains; a second one stops. Returns when all
  // ended.
  void run();

 private:
  explicit GatewayProcess(const config::Settings& settings);
  void add_gauges();
  admin::Sources sources();
  admin::Page explain(const http::Head& head, std::string_view body);
  void on_signal(int number);
  // Once a second, beside the workers.
  void keep_house();

  SystemClock clock_;
  config::Settings settings_;
  telemetry::Log log_;
  telemetry::Metrics metrics_;
  net::Reactor reactor_;
  std::unique_ptr<gateway::Server> server_;
  // For /explain.
  std::unique_ptr<contract::Examiner> examiner_;
  std::unique_ptr<gateway::Doorman> doorman_;
  std::unique_ptr<admin::AdminServer> admin_;
  std::thread waiter_;  // joins the workers while the admin pages still answer
  BurstWatch burst_;
  net::Timer housekeeping_;
  int signals_ = 0;
};

}  // namespace slipstream::cli
