#include "gateway/prober.h"

#include <algorithm>
#include <utility>

#include "gateway/endpoint.h"
#include "gateway/worker.h"

namespace slipstream::gateway {

namespace {

constexpr Duration kLookLimit = seconds(5);
// Between two looks when there is a reason to look again.
constexpr Duration kSoon = seconds(1);
// The wall clock may be set: how long that may go unnoticed.
constexpr Duration kDateCheck = seconds(60);

}  // namespace

std::string first_identity(const config::Settings& settings, WallTime now) {
  const identity::Inspection::Setup setup = inspection_setup(settings);
  const identity::Identity known =
      identity::make_identity(configured_profile(settings), {}, setup.declared);
  const std::string digest = identity::epoch_of(known, identity::utc_date(now));
  return settings.upstream.probe_interval.count() > 0 ? "unprobed-" + digest : digest;
}

Prober::Prober(Worker& worker, std::function<void()> looked)
    : worker_(worker),
      shared_(worker.shared()),
      interval_(shared_.settings.upstream.probe_interval),
      looked_(std::move(looked)),
      timer_(worker.loop(), [this] { on_timer(); }) {}

void Prober::start() {
  if (interval_ == Duration::zero()) note_looked();
  date_ = identity::utc_date(shared_.clock.wall_now());
  next_look_ = interval_ > Duration::zero() ? worker_.now() : kNever;
  arm();
}

void Prober::stop() {
  timer_.cancel();
  inspector_.reset();
  next_look_ = kNever;
}

void Prober::probe_soon() {
  if (interval_ == Duration::zero()) return;
  profile_.reset();
  again_ = looking_;
  if (looking_ || next_look_ == kNever) return;
  next_look_ = std::min(next_look_, std::max(worker_.now(), last_look_ + kSoon));
  arm();
}

void Prober::arm() {
  const Duration day = identity::until_next_utc_date(shared_.clock.wall_now());
  const Time date_check = worker_.now() + std::min(day, kDateCheck);
  timer_.set(looking_ ? date_check : std::min(date_check, next_look_));
}

void Prober::on_timer() {
  std::string date = identity::utc_date(shared_.clock.wall_now());
  if (date != date_) {
    date_ = std::move(date);
    publish(EpochCause::kDate);
  }
  if (!looking_ && next_look_ <= worker_.now()) look();
  arm();
}

void Prober::look() {
  looking_ = true;
  last_look_ = worker_.now();
  shared_.upstream_suspect.store(false, std::memory_order_relaxed);
  identity::Inspection::Setup setup = inspection_setup(shared_.settings);
  if (!setup.profile) setup.profile = profile_;
  inspector_ = std::make_unique<Inspector>(
      worker_.loop(), worker_.upstream(), inspection_target(shared_.settings),
      identity::Inspection(std::move(setup)), kLookLimit, [this] { look_over(); });
}

void Prober::look_over() {
  looking_ = false;
  const identity::Inspection& inspection = inspector_->inspection();
  if (inspection.conclusive()) {
    const EpochCause cause = identity_ ? EpochCause::kObserved : EpochCause::kFirstProbe;
    identity_ = inspection.identity();
    const bool told = std::any_of(
        identity_->facts.begin(), identity_->facts.end(),
        [](const auto& fact) { return fact.origin == identity::Fact::Origin::kObserved; });
    // A server that tells nothing any more may be another kind of server now.
    profile_ = told ? std::optional(identity_->profile) : std::nullopt;
    failing_ = false;
    publish(cause);
  } else {
    profile_.reset();
    if (!failing_) {
      shared_.log.event(telemetry::Level::kWarning, "probe_failed",
                        {{"request", inspection.asked().back().request},
                         {"status", inspection.asked().back().status}});
    }
    failing_ = true;
  }
  note_looked();
  const bool soon = failing_ || std::exchange(again_, false);
  next_look_ = worker_.now() + (soon ? std::min(kSoon, interval_) : interval_);
  arm();
}

void Prober::note_looked() {
  if (const auto looked = std::exchange(looked_, {})) looked();
}

void Prober::publish(EpochCause cause) {
  const Profile profile = identity_ ? identity_->profile : configured_profile(shared_.settings);
  const std::string text = identity_ ? identity::epoch_of(*identity_, date_)
                                     : first_identity(shared_.settings, shared_.clock.wall_now());
  if (shared_.epoch.set_identity(text, profile) == Epoch::Effect::kChanged)
    worker_.note_epoch(cause);
}

}  // namespace slipstream::gateway
