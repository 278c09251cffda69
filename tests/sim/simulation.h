// One world: the unchanged gateway between scripted callers and a scripted upstream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/exchange_record.h"
#include "sim/gateway_log.h"
#include "sim/observed_upstream.h"
#include "sim/swarm.h"
#include "telemetry/metrics.h"

namespace slipstream::sim {

// The sums of the gateway's counters over all workers and labels.
struct Counts {
  std::uint64_t of(telemetry::Counter counter) const {
    return plain[static_cast<std::size_t>(counter)];
  }
  std::uint64_t of(telemetry::LabelledCounter counter, std::size_t value) const {
    return labelled[static_cast<std::size_t>(counter)][value];
  }
  std::uint64_t sum(telemetry::LabelledCounter counter) const;

  std::uint64_t plain[telemetry::kCounterCount] = {};
  std::uint64_t labelled[telemetry::kLabelledCounterCount][telemetry::kLabelValuesMax] = {};
};

// Everything that is known after the world has come to rest.
struct Outcome {
  // Waits for the log's thread and reads its lines into `log`. Call it before check(); later is
  // cheaper, since the thread has finished by then.
  void settle();

  Swarm swarm;
  config::Settings settings;
  Evidence evidence;
  AttemptRecords attempts;
  std::vector<LogLine> log;
  Counts counts;
  SimWorld::End end = SimWorld::End::kQuiet;
  Time start{};
  std::uint64_t steps = 0;
  std::uint64_t hash = 0;
  long long virtual_ms = 0;

  // What must be zero at rest.
  std::uint64_t live_flights = 0;
  std::uint64_t live_subscribers = 0;
  std::uint64_t table_size = 0;
  std::uint64_t replay_held = 0;
  std::uint64_t connections = 0;
  std::uint64_t busy_upstream = 0;
  std::uint64_t idle_upstream = 0;
  bool workers_idle = true;

  LogLines lines;
  std::unique_ptr<telemetry::Log> open_log;
};

Outcome run_world(std::uint64_t seed, SimWorld::Trace trace);

}  // namespace slipstream::sim
