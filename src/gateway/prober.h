// Looks at the upstream's identity and sets the epoch: at start, after connections failed, after a
// request that changes the model, every upstream.probe_interval, and at UTC midnight.
//
// Never in the way of a request: it has a turn of the loop per answer and at most one connection. A
// look that fails keeps what was known, is logged once, and is repeated soon until one succeeds.
// Thread rule: the loop's thread of the one worker that has it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/settings.h"
#include "gateway/epoch.h"
#include "gateway/inspector.h"
#include "identity/identity.h"
#include "net/loop.h"

namespace slipstream::gateway {

class Worker;
struct Shared;

// The identity part of the epoch before anything was observed.
std::string first_identity(const config::Settings& settings, WallTime now);

class Prober final {
 public:
  // `looked`: called once, when the first look has ended, however; at start() if there is none.
  explicit Prober(Worker& worker, std::function<void()> looked = {});

  // The first look, at once. With an interval of 0 only the date is kept.
  void start();
  // Something may have changed: look as soon as the last look is a second ago.
  void probe_soon();
  // No more looks.
  void stop();

 private:
  void on_timer();
  void look();
  void look_over();
  void publish(EpochCause cause);
  void arm();
  void note_looked();

  Worker& worker_;
  Shared& shared_;
  const Duration interval_;
  std::function<void()> looked_;
  net::Timer timer_;
  std::unique_ptr<Inspector> inspector_;  // kept until the next look: it may be calling
  std::optional<Profile> profile_;        // found out; asked again when in doubt
  std::optional<identity::Identity> identity_;
  std::string date_;
  Time next_look_ = kNever;
  Time last_look_ = Time::min();
  bool looking_ = false;
  bool again_ = false;    // probe_soon() came during a look
  bool failing_ = false;  // and it was logged
};

}  // namespace slipstream::gateway
