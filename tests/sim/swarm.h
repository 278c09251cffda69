// What one seed switches on: whole classes of faults, the kinds of callers, the configuration.
//
// Few faults at a time find more than all at once, so each class is on or off for a whole world.
#pragma once

#include "config/settings.h"
#include "sim/sim_stream.h"
#include "sim/sim_world.h"

namespace slipstream::sim {

struct Swarm {
  // The network.
  bool splits = false;
  bool delays = false;
  bool tiny_buffers = false;
  bool stalls = false;
  bool spurious = false;
  bool loss = false;  // a reset destroys what had arrived
  bool batches = false;
  bool connect_faults = false;
  // The upstream.
  bool upstream_errors = false;
  bool upstream_cuts = false;
  bool upstream_silence = false;
  bool in_band_errors = false;
  bool stale_connections = false;
  bool slow_upload_reading = false;
  bool odd_answers = false;  // claimed, no marker, until close, another content type ...
  bool large_answers = false;
  bool slow_answers = false;
  // The callers.
  bool aborts = false;
  bool slow_readers = false;
  bool never_readers = false;
  bool pipelining = false;
  bool http10 = false;
  bool deadlines = false;
  bool slow_senders = false;
  bool bad_requests = false;
  bool pass_through = false;
  bool tenants = false;
  bool sampled = false;
  bool wishes = false;  // opt-outs and max-age
  // The gateway.
  bool tight_memory = false;
  bool tight_windows = false;
  bool tight_times = false;
  bool comments = false;
  bool follower_wait = false;
  bool flush_window = false;
  bool stopped = false;  // drained, then stopped, while callers are there

  std::uint64_t workers = 1;
  std::uint64_t callers = 1;
  std::uint64_t prompts = 1;
  std::uint64_t arrival_ms = 0;  // callers arrive within this time

  // What is written in one piece is read in one piece.
  bool whole_network() const { return !splits && !tiny_buffers; }
  bool clean_network() const {
    return !tiny_buffers && !stalls && !slow_upload_reading && !connect_faults;
  }
};

// Every few worlds are special: calm ones, so that promises that hold without faults are tested
// without them, and ones with a crowd at a slow stream that some leave before its end.
Swarm draw_swarm(SimWorld& world);
config::Settings draw_settings(SimWorld& world, const Swarm& swarm);
// Of one direction of one connection.
LinkFaults draw_link(SimWorld& world, const Swarm& swarm);

// The longest one-way delay of a link that is_prompt().
inline constexpr std::uint64_t kPromptDelayMs = 3;

}  // namespace slipstream::sim
