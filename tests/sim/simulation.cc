#include "sim/simulation.h"

#include <algorithm>

#include "gateway/shared.h"
#include "gateway/worker.h"
#include "sim/sim_caller.h"
#include "sim/sim_connector.h"
#include "sim/sim_upstream.h"
#include "upstream/client.h"

namespace slipstream::sim {

namespace {

constexpr std::uint64_t kStepsMax = 3'000'000;
constexpr Duration kTimeMax = std::chrono::hours(3);
constexpr std::size_t kFaultsMax = 20;

upstream::ClientOptions client_options(const config::Settings& settings) {
  upstream::ClientOptions options;
  options.endpoint = {"model.test", "8000", false};
  options.connect_timeout_ms = settings.upstream.connect_timeout.count();
  options.write_timeout_ms = settings.upstream.write_timeout.count();
  options.idle_ms = settings.upstream.idle_timeout.count();
  options.connections_max = settings.upstream.connections_max;
  return options;
}

telemetry::MetricsOptions metrics_options(std::uint64_t workers) {
  telemetry::MetricsOptions options;
  options.workers = workers;
  options.label_values = gateway::metric_labels();
  return options;
}

// One worker and what its thread owns in production, in the order of gateway::Server.
struct Crew {
  Crew(SimWorld& world, gateway::Shared& shared, flight::WorkerIndex index, const Swarm& swarm,
       SimUpstream& upstream, AttemptRecords& attempts)
      : loop(world.add_loop()),
        connector(world, loop, upstream.loop(), swarm,
                  [&upstream](std::unique_ptr<net::ByteStream> stream) {
                    upstream.accept(std::move(stream));
                  }),
        client(loop, connector, client_options(shared.settings)),
        observed(world, client, attempts),
        worker(shared, index, loop, observed,
               std::make_unique<SeededRandom>(world.below(1 << 30))) {}

  void drain() { worker.drain(); }
  void stop() {
    worker.shut_down();
    loop.defer([this] { loop.stop(); });
  }

  SimLoop& loop;
  SimConnector connector;
  upstream::Client client;
  ObservedUpstream observed;
  gateway::Worker worker;
};

class Simulation {
 public:
  Simulation(std::uint64_t seed, SimWorld::Trace trace)
      : world_(seed, trace),
        callers_loop_(world_.add_loop()),
        upstream_loop_(world_.add_loop()),
        swarm_(draw_swarm(world_)),
        settings_(draw_settings(world_, swarm_)),
        metrics_(metrics_options(swarm_.workers)),
        log_(outcome_.lines.open(world_)),
        shared_(settings_, swarm_.workers, metrics_, *log_, world_),
        upstream_(world_, upstream_loop_, swarm_, outcome_.evidence) {
    for (std::uint64_t i = 0; i < swarm_.workers; ++i) {
      crews_.push_back(std::make_unique<Crew>(world_, shared_, static_cast<flight::WorkerIndex>(i),
                                              swarm_, upstream_, outcome_.attempts));
    }
    for (std::uint64_t i = 0; i < swarm_.callers; ++i) {
      callers_.push_back(
          std::make_unique<SimCaller>(world_, callers_loop_, draw_caller(world_, swarm_, i),
                                      [this](std::uint64_t worker) { return connect(worker); }));
    }
    if (swarm_.stopped) plan_stop();
    world_.set_observer([this] { look_at_flights(); });
  }

  Outcome run() {
    outcome_.end = world_.run(kStepsMax, kTimeMax);
    read_gauges();
    put_to_rest();
    // Worlds that failed may hold more than they should; nothing of it may outlive the gateway.
    world_.clear();
    callers_.clear();
    upstream_.finish();
    crews_.clear();
    world_.clear();
    outcome_.replay_held = shared_.replay_budget.held();
    outcome_.open_log = std::move(log_);
    return std::move(outcome_);
  }

 private:
  std::unique_ptr<net::ByteStream> connect(std::uint64_t worker) {
    Crew& crew = *crews_[worker];
    const LinkFaults up = draw_link(world_, swarm_);
    const LinkFaults down = draw_link(world_, swarm_);
    StreamPair pair = make_pair(world_, connections_++, callers_loop_, crew.loop, {up, down});
    auto other = std::make_shared<std::unique_ptr<net::ByteStream>>(std::move(pair.other));
    const std::uint64_t delay = swarm_.delays ? world_.below(3) : 0;
    world_.after(milliseconds(delay), crew.loop,
                 [&crew, other] { crew.worker.on_accepted(std::move(*other)); });
    return std::move(pair.opener);
  }

  void plan_stop() {
    const Duration drain_at = milliseconds(world_.below(2 * swarm_.arrival_ms + 500));
    const Duration stop_at = drain_at + milliseconds(world_.chance(50) ? 0 : world_.below(5000));
    for (auto& crew : crews_) {
      world_.after(drain_at, crew->loop, [this, at = crew.get()] {
        shared_.draining.store(true, std::memory_order_relaxed);
        at->drain();
      });
      world_.after(stop_at, crew->loop, [this, at = crew.get()] {
        shared_.draining.store(true, std::memory_order_relaxed);
        at->stop();
      });
    }
  }

  // Everything that could be done at this moment was done: no flight waits without a reason.
  void look_at_flights() {
    if (swarm_.stopped) return;
    shared_.table.for_each([this](const flight::Flight& flight, const flight::Core& core) {
      const std::uint64_t published = flight.log().published();
      const std::uint64_t fastest = std::min(published, flight.fastest_position());
      std::string fault;
      if (flight.paused() && published - fastest <= settings_.replay.lag_bytes_max / 4) {
        fault = " is paused although a reader has caught up";
      }
      if (core.terminal()) fault = " has ended and stands in the table";
      if (core.subscribers() == 0 && !core.in_grace()) fault = " has nobody and no grace";
      if (core.in_grace() && core.grace_until() < world_.now()) fault = " outlives its grace";
      if (!fault.empty() && outcome_.evidence.faults.size() < kFaultsMax) {
        outcome_.evidence.faults.push_back("flight " + flight.id() + fault);
      }
    });
  }

  void read_gauges() {
    for (auto& crew : crews_) {
      outcome_.live_flights += crew->worker.live_flights();
      outcome_.live_subscribers += crew->worker.live_subscribers();
      outcome_.busy_upstream += crew->client.busy_connections();
      outcome_.idle_upstream += crew->client.idle_connections();
      outcome_.workers_idle &= crew->worker.idle();
    }
    outcome_.table_size = shared_.table.size();
    outcome_.connections = shared_.connections.load(std::memory_order_relaxed);
    read_counters();
    outcome_.swarm = swarm_;
    outcome_.settings = settings_;
    outcome_.start = world_.start();
    outcome_.steps = world_.steps();
    outcome_.hash = world_.hash();
    outcome_.virtual_ms = world_.now_ms();
    for (auto& caller : callers_) {
      for (const Reply& reply : caller->replies()) outcome_.evidence.replies.push_back(reply);
    }
  }

  void read_counters() {
    for (std::uint64_t i = 0; i < swarm_.workers; ++i) {
      metrics_.worker(i).each([this](const telemetry::Series& series) {
        for (std::size_t c = 0; c < telemetry::kCounterCount; ++c) {
          outcome_.counts.plain[c] += series.value(static_cast<telemetry::Counter>(c));
        }
        for (std::size_t c = 0; c < telemetry::kLabelledCounterCount; ++c) {
          for (std::size_t v = 0; v < telemetry::kLabelValuesMax; ++v) {
            outcome_.counts.labelled[c][v] +=
                series.value(static_cast<telemetry::LabelledCounter>(c), v);
          }
        }
      });
    }
  }

  void put_to_rest() {
    for (auto& crew : crews_) {
      if (!crew->worker.idle()) crew->worker.shut_down();
    }
  }

  Outcome outcome_;
  SimWorld world_;
  SimLoop& callers_loop_;
  SimLoop& upstream_loop_;
  const Swarm swarm_;
  const config::Settings settings_;
  telemetry::Metrics metrics_;
  std::unique_ptr<telemetry::Log> log_;
  gateway::Shared shared_;
  SimUpstream upstream_;
  std::vector<std::unique_ptr<Crew>> crews_;
  std::vector<std::unique_ptr<SimCaller>> callers_;
  std::uint64_t connections_ = 0;
};

}  // namespace

std::uint64_t Counts::sum(telemetry::LabelledCounter counter) const {
  std::uint64_t total = 0;
  for (const std::uint64_t value : labelled[static_cast<std::size_t>(counter)]) total += value;
  return total;
}

void Outcome::settle() {
  if (!open_log) return;
  open_log.reset();
  log = lines.parsed();
}

Outcome run_world(std::uint64_t seed, SimWorld::Trace trace) {
  Simulation simulation(seed, trace);
  return simulation.run();
}

}  // namespace slipstream::sim
