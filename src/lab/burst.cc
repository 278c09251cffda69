#include "lab/burst.h"

#include <limits>

#include "base/check.h"
#include "base/text.h"
#include "json/reader.h"

namespace slipstream::lab {

namespace {

constexpr Duration kProgressEvery = milliseconds(200);
constexpr int kDistinctMax = 1 << 24;
constexpr std::size_t kGroupsMax = 64;

std::uint64_t callers_in(const BurstOptions& options) {
  std::uint64_t callers = 0;
  for (const BurstGroup& group : options.groups)
    callers += static_cast<std::uint64_t>(group.callers);
  return callers;
}

std::uint64_t requests_max(const BurstOptions& options) {
  if (options.requests) return options.requests;
  if (options.duration > Duration{}) return std::numeric_limits<std::uint64_t>::max();
  return callers_in(options);
}

bool is_share(double value) {
  return value >= 0.0 && value <= 1.0;
}

// Precondition: problem_with() has accepted the URL.
Target target_of(const std::string& url) {
  const auto target = parse_target(url);
  SLIP_CHECK(target.has_value());
  return *target;
}

}  // namespace

std::string problem_with(const BurstOptions& options) {
  if (!parse_target(options.url)) return "'" + options.url + "' is no http:// URL";
  if (!options.stats_url.empty() && !parse_target(options.stats_url)) {
    return "'" + options.stats_url + "' is no http:// URL";
  }
  if (options.groups.empty() || options.groups.size() > kGroupsMax) return "1 to 64 groups, please";
  for (const BurstGroup& group : options.groups) {
    if (group.callers < 1) return "a group needs at least one caller";
    if (group.distinct < 1 || group.distinct >= kDistinctMax) return "distinct prompts: 1 or more";
    if (!is_share(group.duplicate_share)) return "the duplicate share is between 0 and 1";
  }
  if (!is_share(options.leave_share)) return "the share of leaving callers is between 0 and 1";
  if (!is_share(options.slow_share)) return "the share of slow callers is between 0 and 1";
  if (options.slow_read_bytes < 1) return "slow callers must read at least one byte";
  if (options.tenants < 1) return "at least one tenant";
  if (options.timeout <= Duration{}) return "the timeout must be above zero";
  return {};
}

Burst::Burst(net::Reactor& reactor, BurstOptions options, ProgressFn progress, DoneFn done)
    : reactor_(reactor),
      options_(std::move(options)),
      target_(target_of(options_.url)),
      progress_(std::move(progress)),
      done_(std::move(done)),
      planner_(options_, target_),
      tally_(options_.groups, options_.tokens_from),
      progress_timer_(reactor, [this] { show_progress(); }),
      requests_max_(requests_max(options_)) {
  CallerOwner& owner = *this;
  for (std::size_t group = 0; group < options_.groups.size(); ++group) {
    for (int i = 0; i < options_.groups[group].callers; ++i) {
      callers_.push_back(std::make_unique<Caller>(reactor_, options_, target_, owner, group, i));
    }
  }
}

void Burst::start() {
  ask_upstream([this](std::optional<std::uint64_t> calls) {
    upstream_before_ = calls;
    run();
  });
}

// The stub's count of calls, or nothing if it is not to be asked or does not answer.
void Burst::ask_upstream(std::function<void(std::optional<std::uint64_t>)> then) {
  if (options_.stats_url.empty()) {
    reactor_.post([then = std::move(then)] { then(std::nullopt); });
    return;
  }
  fetch_ = std::make_unique<Fetch>(reactor_, target_of(options_.stats_url), "/stub/stats",
                                   [then = std::move(then)](std::optional<std::string> body) {
                                     if (!body) return then(std::nullopt);
                                     then(parse_decimal(json::find(*body, "calls")));
                                   });
}

void Burst::run() {
  started_ = reactor_.now();
  if (progress_) progress_timer_.set(started_ + kProgressEvery);
  start_round();
}

void Burst::start_round() {
  const Time now = reactor_.now();
  for (const auto& caller : callers_) {
    if (!may_begin()) break;
    begin(*caller, now + planner_.delay());
  }
  ++round_;
  if (live_ == 0) finish();
}

void Burst::begin(Caller& caller, Time at) {
  ++issued_;
  ++live_;
  caller.begin(planner_.plan(caller.group(), caller.number(), round_), at);
}

bool Burst::may_begin() const {
  if (stopped_ || issued_ >= requests_max_) return false;
  return options_.duration <= Duration{} || reactor_.now() - started_ < options_.duration;
}

void Burst::on_ended(Caller& caller, const Outcome& outcome) {
  --live_;
  failed_ += outcome.answer.defect != Defect::kNone;
  tally_.add(outcome);
  if (options_.pace == Pace::kFree && may_begin()) return begin(caller, reactor_.now());
  if (live_ > 0) return;
  if (options_.pace == Pace::kRounds && may_begin()) return start_round();
  finish();
}

void Burst::show_progress() {
  const bool by_number = requests_max_ != std::numeric_limits<std::uint64_t>::max();
  progress_({.done = tally_.count(),
             .failed = failed_,
             .expected = by_number ? requests_max_ : 0,
             .elapsed = reactor_.now() - started_,
             .limit = options_.duration});
  progress_timer_.set(reactor_.now() + kProgressEvery);
}

void Burst::finish() {
  elapsed_ = reactor_.now() - started_;
  if (progress_) show_progress();
  progress_timer_.cancel();
  // Deferred: the fetch before, which may be calling, is replaced.
  reactor_.post([this] {
    ask_upstream([this](std::optional<std::uint64_t> calls) {
      BurstReport report = tally_.report();
      report.elapsed = elapsed_;
      if (calls && upstream_before_) report.upstream_calls = *calls - *upstream_before_;
      done_(report);
    });
  });
}

BurstReport run_burst(const BurstOptions& options, const ProgressFn& progress) {
  const SystemClock clock;
  net::Reactor reactor(clock);
  BurstReport result;
  Burst burst(reactor, options, progress, [&](const BurstReport& report) {
    result = report;
    reactor.stop();
  });
  burst.start();
  reactor.run();
  return result;
}

}  // namespace slipstream::lab
