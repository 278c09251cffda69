// Load generator that believes nothing: N callers on one reactor, each answer checked to the last
// byte, answers of one generation compared with each other.
//
//   Burst burst(reactor, options, progress, [&](BurstReport report) { ... });
//   burst.start();
//
// Thread rule: the reactor's thread. To be destroyed outside its callbacks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lab/burst_options.h"
#include "lab/caller.h"
#include "lab/fetch.h"
#include "lab/planner.h"
#include "lab/progress.h"
#include "lab/report.h"
#include "lab/tally.h"
#include "net/reactor.h"

namespace slipstream::lab {

class Burst final : private CallerOwner {
 public:
  using DoneFn = std::function<void(const BurstReport&)>;

  // Precondition: problem_with(options) is empty. `reactor` outlives the burst; `progress` may be
  // empty, else it is called a few times a second.
  Burst(net::Reactor& reactor, BurstOptions options, ProgressFn progress, DoneFn done);
  Burst(const Burst&) = delete;
  Burst& operator=(const Burst&) = delete;

  // Once. `done` follows in a later turn, once.
  void start();
  // Starts no more requests; those under way end on their own.
  void stop() { stopped_ = true; }

 private:
  void on_ended(Caller& caller, const Outcome& outcome) override;

  void ask_upstream(std::function<void(std::optional<std::uint64_t>)> then);
  void run();
  void start_round();
  void begin(Caller& caller, Time at);
  bool may_begin() const;
  void show_progress();
  void finish();

  net::Reactor& reactor_;
  const BurstOptions options_;
  const Target target_;
  ProgressFn progress_;
  DoneFn done_;
  Planner planner_;
  Tally tally_;
  net::Timer progress_timer_;
  std::vector<std::unique_ptr<Caller>> callers_;
  std::unique_ptr<Fetch> fetch_;

  std::uint64_t requests_max_;
  std::uint64_t issued_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t live_ = 0;
  std::uint64_t round_ = 0;
  bool stopped_ = false;
  Time started_{};
  Duration elapsed_{};
  std::optional<std::uint64_t> upstream_before_;
};

// Runs a burst on a reactor of its own and returns its report. Same precondition. Blocks.
BurstReport run_burst(const BurstOptions& options, const ProgressFn& progress);

}  // namespace slipstream::lab
