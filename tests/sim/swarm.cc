#include "sim/swarm.h"

#include <cstdio>
#include <cstdlib>

#include "config/load.h"

namespace slipstream::sim {

using config::Milliseconds;

namespace {

void draw_network(SimWorld& world, Swarm& swarm) {
  swarm.splits = world.chance(50);
  swarm.delays = world.chance(60);
  swarm.tiny_buffers = world.chance(20);
  swarm.stalls = world.chance(15);
  swarm.spurious = world.chance(40);
  swarm.loss = world.chance(30);
  swarm.batches = world.chance(50);
  swarm.connect_faults = world.chance(20);
}

void draw_upstream(SimWorld& world, Swarm& swarm) {
  swarm.upstream_errors = world.chance(25);
  swarm.upstream_cuts = world.chance(35);
  swarm.upstream_silence = world.chance(15);
  swarm.in_band_errors = world.chance(20);
  swarm.stale_connections = world.chance(30);
  swarm.slow_upload_reading = world.chance(15);
  swarm.odd_answers = world.chance(35);
  swarm.large_answers = world.chance(25);
  swarm.slow_answers = world.chance(40);
}

void draw_callers(SimWorld& world, Swarm& swarm) {
  swarm.aborts = world.chance(40);
  swarm.slow_readers = world.chance(30);
  swarm.never_readers = world.chance(15);
  swarm.pipelining = world.chance(25);
  swarm.http10 = world.chance(15);
  swarm.deadlines = world.chance(20);
  swarm.slow_senders = world.chance(25);
  swarm.bad_requests = world.chance(15);
  swarm.pass_through = world.chance(30);
  swarm.tenants = world.chance(30);
  swarm.sampled = world.chance(25);
  swarm.wishes = world.chance(20);
  swarm.workers = world.between(1, 3);
  swarm.callers = world.between(1, world.chance(20) ? 24 : 8);
  swarm.prompts = world.between(1, 3);
  const std::uint64_t spread = world.below(4);
  swarm.arrival_ms = spread == 0 ? 0 : spread == 1 ? 5 : spread == 2 ? 300 : 4000;
}

void draw_gateway(SimWorld& world, Swarm& swarm) {
  swarm.tight_memory = world.chance(25);
  swarm.tight_windows = world.chance(20);
  swarm.tight_times = world.chance(20);
  swarm.comments = world.chance(25);
  swarm.follower_wait = world.chance(15);
  swarm.flush_window = world.chance(20);
  swarm.stopped = world.chance(10);
}

void calm(Swarm& swarm) {
  swarm.tiny_buffers = swarm.stalls = swarm.connect_faults = swarm.upstream_errors = false;
  swarm.upstream_cuts = swarm.upstream_silence = swarm.tight_memory = swarm.tight_times = false;
  swarm.tight_windows = swarm.stopped = swarm.slow_upload_reading = false;
}

void crowd(SimWorld& world, Swarm& swarm) {
  calm(swarm);
  swarm.in_band_errors = swarm.odd_answers = swarm.pass_through = swarm.bad_requests = false;
  swarm.tenants = swarm.sampled = swarm.http10 = swarm.wishes = false;
  swarm.aborts = swarm.slow_answers = swarm.tight_memory = true;
  swarm.prompts = 1;
  swarm.callers = world.between(4, 12);
  swarm.arrival_ms = world.below(50);
}

config::Settings defaults() {
  config::LoadInput input;
  input.yaml_name = "sim";
  input.yaml_text =
      "upstream:\n  url: http://model.test:8000/base\nscope:\n  secret: the secret of the sim\n";
  auto loaded = config::load(input);
  if (!loaded) {
    std::fprintf(stderr, "the simulation's configuration: %s\n", loaded.error().message.c_str());
    std::abort();
  }
  return loaded->settings;
}

Milliseconds pick(SimWorld& world, std::initializer_list<long long> choices) {
  const std::size_t index = static_cast<std::size_t>(world.below(choices.size()));
  return Milliseconds(choices.begin()[index]);
}

void draw_times(SimWorld& world, const Swarm& swarm, config::Settings& settings) {
  settings.coalesce.grace_max = pick(world, {0, 50, 500, 2000});
  settings.coalesce.grace_share = world.chance(50) ? 10 : 100;
  settings.request.deadline = pick(world, {60'000, 90'000, 120'000});
  settings.limits.write_stall = pick(world, {5'000, 20'000, 30'000});
  settings.replay.lag_time_max = pick(world, {5'000, 20'000, 30'000});
  settings.upstream.idle_timeout = pick(world, {20, 1000, 4000});
  if (swarm.comments) settings.stream.keep_alive_comment = pick(world, {5, 40, 700});
  if (swarm.follower_wait) settings.coalesce.follower_wait = pick(world, {10, 300, 3000});
  if (swarm.flush_window) settings.replay.flush_window = pick(world, {3, 50, 400});
  if (!swarm.tight_times) return;
  settings.request.deadline = pick(world, {300, 2000, 9000});
  settings.upstream.first_event_timeout = pick(world, {50, 400, 5000});
  settings.upstream.between_events_timeout = pick(world, {50, 400, 5000});
  settings.upstream.write_timeout = pick(world, {50, 1000});
  settings.upstream.connect_timeout = pick(world, {5, 500});
  settings.upstream.flight_age_max = pick(world, {200, 3000, 3'600'000});
  settings.limits.keep_alive_idle = pick(world, {30, 2000});
  settings.limits.head_time = pick(world, {30, 2000});
}

}  // namespace

Swarm draw_swarm(SimWorld& world) {
  Swarm swarm;
  draw_network(world, swarm);
  draw_upstream(world, swarm);
  draw_callers(world, swarm);
  draw_gateway(world, swarm);
  const std::uint64_t special = world.below(100);
  if (special < 15) calm(swarm);
  if (special >= 90) crowd(world, swarm);
  world.set_batching(swarm.batches ? 40 : 0);
  return swarm;
}

config::Settings draw_settings(SimWorld& world, const Swarm& swarm) {
  static const config::Settings kDefaults = defaults();
  config::Settings settings = kDefaults;
  settings.workers = swarm.workers;
  settings.stream.keep_alive_comment = Milliseconds(0);
  draw_times(world, swarm, settings);
  if (world.chance(20)) settings.retry.enabled = false;
  if (world.chance(30)) settings.retry.budget_floor = world.below(3);
  if (world.chance(50)) settings.retry.backoff_base = Milliseconds(1);
  if (world.chance(10)) settings.coalesce.sampled = config::Sampled::kShare;
  if (swarm.tight_windows) {
    settings.coalesce.join_window_age = pick(world, {0, 20, 1000});
    settings.coalesce.join_window_bytes = world.chance(50) ? world.below(3000) : 16 << 20;
    settings.coalesce.followers_max = world.chance(50) ? world.between(1, 3) : 100'000;
    settings.limits.connections = world.chance(20) ? world.between(1, 5) : 65'536;
    settings.upstream.connections_max = world.chance(30) ? world.between(1, 2) : 1024;
  }
  if (swarm.tight_memory) {
    settings.replay.lag_bytes_max = world.between(200, world.chance(60) ? 1000 : 4096);
    settings.replay.flight_bytes_max = world.between(300, 20'000);
    settings.replay.total_bytes_max = world.between(3000, 60'000);
    settings.upstream.response_bytes_max = world.chance(30) ? world.between(200, 2000) : 16 << 20;
    settings.limits.pipelined_bytes = world.between(200, 4000);
  }
  return settings;
}

LinkFaults draw_link(SimWorld& world, const Swarm& swarm) {
  LinkFaults faults;
  if (swarm.splits) faults.split_percent = world.below(40);
  if (swarm.splits) faults.short_write_percent = world.below(30);
  if (swarm.delays) faults.delay_ms_max = world.below(kPromptDelayMs + 1);
  if (swarm.spurious) faults.spurious_percent = world.below(30);
  if (swarm.loss) faults.loss_percent = 50;
  if (swarm.tiny_buffers && world.chance(50)) {
    faults.capacity = static_cast<std::size_t>(world.between(1, world.chance(20) ? 20 : 2000));
  }
  if (swarm.stalls && world.chance(40)) {
    faults.stall_percent = world.below(15);
    faults.stall_ms = world.between(10, 3000);
  }
  return faults;
}

}  // namespace slipstream::sim
