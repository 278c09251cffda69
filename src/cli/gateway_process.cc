#include "cli/gateway_process.h"

#include <thread>

#include "cli/cli.h"
#include "cli/request_head.h"
#include "config/scalar.h"
#include "contract/explain.h"
#include "gateway/errors.h"
#include "gateway/flights_page.h"

namespace slipstream::cli {

namespace {

constexpr seconds kHousekeeping{1};

telemetry::Level level_of(config::LogLevel level) {
  return static_cast<telemetry::Level>(level);
}
static_assert(static_cast<int>(config::LogLevel::kOff) == static_cast<int>(telemetry::Level::kOff));

telemetry::LogFormat format_of(config::LogFormat format) {
  return format == config::LogFormat::kJson ? telemetry::LogFormat::kJson
                                            : telemetry::LogFormat::kText;
}

telemetry::MetricsOptions metrics_options(const config::Settings& settings) {
  telemetry::MetricsOptions options;
  options.workers = gateway::Server::worker_count(settings);
  options.models_max = settings.metrics.models_max;
  options.tenants_max = settings.metrics.tenants_max;
  options.label_values = gateway::metric_labels();
  options.version = version();
  return options;
}

}  // namespace

GatewayProcess::GatewayProcess(const config::Settings& settings)
    : settings_(settings),
      log_(level_of(settings.log.level), format_of(settings.log.format), clock_),
      metrics_(metrics_options(settings)),
      reactor_(clock_),
      housekeeping_(reactor_, [this] { keep_house(); }) {}

GatewayProcess::~GatewayProcess() = default;

Result<std::unique_ptr<GatewayProcess>, gateway::StartError> GatewayProcess::create(
    const config::Settings& settings) {
  std::unique_ptr<GatewayProcess> process(new GatewayProcess(settings));
  auto server = gateway::Server::create(process->settings_, process->metrics_, process->log_,
                                        process->clock_);
  if (!server) return Failure{server.error()};
  process->server_ = std::move(*server);
  process->examiner_ =
      std::make_unique<contract::Examiner>(process->server_->shared().scope_secret);
  process->doorman_ =
      std::make_unique<gateway::Doorman>(process->server_->shared(), *process->examiner_);
  process->add_gauges();
  if (settings.admin) {
    auto admin = admin::AdminServer::open(
        process->reactor_, config::format_address(*settings.admin), process->sources());
    if (!admin) return Failure{gateway::StartError{admin.error().message}};
    process->admin_ = std::move(*admin);
  }
  return process;
}

void GatewayProcess::add_gauges() {
  gateway::Server& server = *server_;
  gateway::Shared& shared = server.shared();
  const auto add = [this](const char* name, const char* help, std::function<double()> read) {
    metrics_.add_gauge(name, help, std::move(read));
  };
  add("slipstream_live_flights", "Flights that run now, shared or alone.",
      [&server] { return static_cast<double>(server.live_flights()); });
  add("slipstream_joinable_flights", "Flights that a new request could join.",
      [&shared] { return static_cast<double>(shared.table.size()); });
  add("slipstream_live_subscribers", "Callers that read a flight now.",
      [&server] { return static_cast<double>(server.live_subscribers()); });
  add("slipstream_replay_log_bytes", "Bytes held by all replay logs.",
      [&shared] { return static_cast<double>(shared.replay_budget.held()); });
  add("slipstream_client_connections", "Open connections of callers.", [&shared] {
    return static_cast<double>(shared.connections.load(std::memory_order_relaxed));
  });
  add("slipstream_upstream_connections_idle", "Clean upstream connections kept for reuse.",
      [&server] { return static_cast<double>(server.idle_upstream_connections()); });
  add("slipstream_upstream_connections_busy", "Upstream calls that hold or make a connection.",
      [&server] { return static_cast<double>(server.busy_upstream_connections()); });
  add("slipstream_log_lines_dropped", "Log lines lost because their reader was too slow.",
      [this] { return static_cast<double>(log_.dropped()); });
}

admin::Sources GatewayProcess::sources() {
  admin::Sources sources;
  gateway::Server& server = *server_;
  sources.not_ready = [&server] { return server.not_ready(); };
  sources.metrics = [this] { return metrics_.expose(); };
  sources.flights = [&server] {
    return gateway::flights_page(server.shared(), server.live_flights());
  };
  sources.explain = [this](const http::Head& head, std::string_view body) {
    return explain(head, body);
  };
  return sources;
}

admin::Page GatewayProcess::explain(const http::Head& head, std::string_view body) {
  const auto refused = [](int status, std::string_view message, std::string_view code) {
    return admin::Page{status, "application/json",
                       gateway::error_body(status, message, code) + "\n"};
  };
  const auto asked = request_head(explained_path(head), fields_of(head), body.size());
  if (!asked) return refused(400, asked.error().message, "bad_request");
  // No address is trusted here: who asks is known by its key alone.
  contract::ScopeMemo memo;
  const auto party = doorman_->identify(*asked, {}, memo);
  if (!party)
    return refused(401, "The request would be refused: its key is no tenant's.", "invalid_api_key");
  const contract::Surface surface = contract::surface_of(asked->method(), asked->path());
  contract::Explanation one = contract::explain_pass_through(*asked);
  if (surface != contract::Surface::kPassThrough) {
    const gateway::Shared& shared = server_->shared();
    const auto routed = gateway::examine(*examiner_, shared.routes_now(), surface, *asked, body,
                                         party->scope, shared.public_scope);
    if (!routed.contract) return refused(400, routed.contract.error().message, "invalid_body");
    one = contract::explain(*asked, *routed.contract);
  }
  return {200, "application/json", contract::explain_json(one)};
}

void GatewayProcess::on_signal(int) {
  ++signals_;
  log_.event(telemetry::Level::kInfo, signals_ == 1 ? "draining" : "stopping");
  if (signals_ > 1) return server_->stop();
  server_->drain();
  // The admin address answers until the last worker has ended.
  std::thread([this] {
    server_->join();
    reactor_.stop();
  }).swap(waiter_);
}

void GatewayProcess::keep_house() {
  if (burst_.is_over(server_->live_flights() + server_->live_subscribers())) release_free_memory();
  housekeeping_.set(reactor_.now() + kHousekeeping);
}

void GatewayProcess::run() {
  housekeeping_.set(reactor_.now() + kHousekeeping);
  reactor_.on_signals([this](int number) { on_signal(number); });
  server_->start();
  reactor_.run();
  if (waiter_.joinable()) waiter_.join();
}

}  // namespace slipstream::cli
