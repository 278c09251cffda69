// What all workers of a gateway share: constant configuration, the flight table, budgets, counters.
//
// Thread rule: members are constant after construction or safe for any thread, as each says.
// Lifetime: outlives every worker.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config/settings.h"
#include "contract/contract.h"
#include "flight/table.h"
#include "gateway/epoch.h"
#include "gateway/routes.h"
#include "gateway/sampled_watch.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"
#include "tenant/directory.h"

namespace slipstream::gateway {

// Why a request was answered by the gateway itself. Metric label of refused_requests_total.
enum class RefusedBecause {
  kHttp,
  kBody,
  kTooLarge,
  kTooSlow,
  kDraining,
  kConnections,
  kConnectionsPerAddress,
  kPipelined,
  kCredential,
  kQuota,
};
inline constexpr std::array<std::string_view, 10> kRefusedBecauseNames = {"bad_http",
                                                                          "bad_body",
                                                                          "too_large",
                                                                          "too_slow",
                                                                          "draining",
                                                                          "connections",
                                                                          "connections_per_address",
                                                                          "pipelined",
                                                                          "credential",
                                                                          "quota"};

struct Shared {
  Shared(const config::Settings& with, std::size_t worker_count, telemetry::Metrics& to,
         telemetry::Log& into, const Clock& time);

  const config::Settings settings;  // without the tenants' keys
  // What requests are judged by, in the epoch of now. Any thread; workers keep a copy.
  Routes routes_now() const { return Routes(settings, epoch.value()); }

  Epoch epoch;                      // any thread
  const std::string upstream_host;  // for the Host field
  const std::string endpoint;       // metric label
  const std::string scope_secret;
  const tenant::Directory tenants;
  const contract::Scope public_scope;  // of routes that share across tenants
  flight::ReplayBudget replay_budget;
  flight::FlightTable table;
  SampledWatch sampled;                  // any thread
  telemetry::Metrics& metrics;           // any thread, by its own rules
  telemetry::Log& log;                   // any thread
  const Clock& clock;                    // any thread
  std::vector<flight::WakePort*> ports;  // by worker index; filled before any worker runs

  std::atomic<bool> draining{false};
  std::atomic<std::uint64_t> connections{0};

  // Tells the prober that something may have changed; empty if there is none. Any thread; constant
  // once workers run.
  std::function<void()> wake_prober;
  std::atomic<bool> upstream_suspect{false};  // it was told that connections fail
};

// The label lists of all counters with a closed set of values, for telemetry::Metrics.
std::vector<telemetry::LabelValues> metric_labels();

}  // namespace slipstream::gateway
