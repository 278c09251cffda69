// Every interleaving of three callers, one upstream and the clock, through the real table, core and
// log, held against a model of the rules of the design. A failing run prints its steps.
#include "flight/core.h"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "flight/fake_flight.h"
#include "flight/odometer.h"
#include "flight/table.h"

namespace slipstream::flight {
namespace {

// Steps of a run. Each step more makes five times as many runs.
#if defined(SLIP_FEW_INTERLEAVINGS) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer)
constexpr int kDepth = 8;
constexpr int kDepthOfVariants = 7;
#else
constexpr int kDepth = 10;
constexpr int kDepthOfVariants = 8;
#endif
constexpr std::size_t kCallers = 3;
constexpr int kTicksMax = 2;
constexpr std::size_t kPublishedMax = 2;  // bytes per flight

struct World {
  const char* name;
  Bounds bounds;
  int depth = kDepthOfVariants;
  std::array<char, kCallers> scopes = {'a', 'a', 'a'};
  std::array<Duration, kCallers> max_ages = {seconds(9), seconds(9), seconds(9)};
};

Bounds bounds_of(std::uint32_t subscribers_max, std::uint32_t grace_percent) {
  Bounds bounds;
  bounds.join_window_age = seconds(2);
  bounds.join_window_bytes = 1;
  bounds.subscribers_max = subscribers_max;
  bounds.grace_max = milliseconds(1500);
  bounds.grace_percent = grace_percent;
  return bounds;
}

// What the design says of one flight.
struct Model {
  boost::intrusive_ptr<FakeFlight> real;
  char scope;
  Time opened_at;
  State state = State::kOpening;
  std::uint32_t subscribers = 1;
  std::uint32_t attempts = 1;
  std::uint32_t retries = 0;
  bool closed = false;  // or replaced in the table
  bool in_table = true;
  std::optional<Time> grace_until = std::nullopt;
  std::string log = {};

  bool live() const { return state < State::kComplete; }
  bool published() const { return state == State::kStreaming; }
};

struct Caller {
  enum class Phase { kOutside, kReading, kEnded } phase = Phase::kOutside;
  std::size_t flight = 0;
  Cursor cursor;
  std::string got;
  int endings = 0;
};

enum class Act { kArrive, kLeave, kTick, kHeaded, kPublish, kComplete, kRetry, kFail, kClose };
constexpr const char* kActNames[] = {"arrive",   "leave", "tick", "headed", "publish",
                                     "complete", "retry", "fail", "close"};
struct Step {
  Act act;
  std::size_t on;  // a caller or a flight
};

class Interleaving {
 public:
  Interleaving(const World& world, FlightTable& table, ReplayBudget& budget)
      : world_(world), table_(table), budget_(budget) {}

  void play(Odometer& odometer) {
    for (int i = 0; i < world_.depth; ++i) {
      possible(&options_);
      if (options_.empty()) break;
      const Step step = options_[odometer.choose(options_.size())];
      trace_.push_back(step);
      act(step);
      read();
      if (odometer.on_new_ground()) check();  // the rest was checked by earlier runs
    }
    finish();
  }

  std::string trace() const {
    std::ostringstream text;
    for (const Step& step : trace_)
      text << " " << kActNames[static_cast<int>(step.act)] << "(" << step.on << ")";
    return text.str();
  }

 private:
  static void require(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
  }

  void possible(std::vector<Step>* out) const {
    out->clear();
    for (std::size_t i = 0; i < kCallers; ++i) {
      // Leaving an ended flight meets nobody: finish() does it.
      const Caller& caller = callers_[i];
      if (caller.phase == Caller::Phase::kReading && flights_[caller.flight].live())
        out->push_back({Act::kLeave, i});
    }
    for (std::size_t i = 0; i < kCallers; ++i) {
      if (callers_[i].phase != Caller::Phase::kOutside) continue;
      out->push_back({Act::kArrive, i});
      break;  // those who never came are alike
    }
    for (std::size_t i = flights_.size(); i-- > 0;) {
      const Model& flight = flights_[i];
      if (!flight.live()) continue;
      if (flight.state == State::kOpening) out->push_back({Act::kHeaded, i});
      if (flight.log.size() < kPublishedMax) out->push_back({Act::kPublish, i});
      if (flight.published()) out->push_back({Act::kComplete, i});
      if (flight.attempts == 1) out->push_back({Act::kRetry, i});
      out->push_back({Act::kFail, i});
      if (!flight.closed) out->push_back({Act::kClose, i});
      if (flight.subscribers > 0) break;  // one wanted flight and all that wait in grace
    }
    if (!flights_.empty() && ticks_ < kTicksMax) out->push_back({Act::kTick, 0});
  }

  void act(Step step) {
    switch (step.act) {
      case Act::kArrive:
        return arrive(step.on);
      case Act::kLeave:
        return leave(step.on);
      case Act::kTick:
        return tick();
      case Act::kClose:
        table_.close_to_joiners(*flights_[step.on].real);
        flights_[step.on].closed = true;
        flights_[step.on].in_table = false;
        return;
      default:
        return upstream(step.act, flights_[step.on]);
    }
  }

  // The flight that the design says caller `i` joins.
  std::optional<std::size_t> joinable(std::size_t i) const {
    for (std::size_t f = 0; f < flights_.size(); ++f) {
      const Model& flight = flights_[f];
      const Duration age = clock_.now() - flight.opened_at;
      if (flight.live() && !flight.closed && flight.scope == world_.scopes[i] &&
          age <= world_.bounds.join_window_age && age <= world_.max_ages[i] &&
          flight.log.size() <= world_.bounds.join_window_bytes &&
          flight.subscribers < world_.bounds.subscribers_max) {
        return f;
      }
    }
    return std::nullopt;
  }

  void arrive(std::size_t i) {
    Caller& caller = callers_[i];
    const auto expected = joinable(i);
    const auto spare = make_flight(budget_, nullptr, 0, world_.scopes[i], clock_.now());
    auto entry = table_.enter(spare, clock_.now(), world_.max_ages[i]);
    require(entry.opened == !expected, "joins exactly what may be joined");
    require(entry.cursor.attached() && entry.cursor.position() == 0, "starts at byte 0");
    caller.phase = Caller::Phase::kReading;
    caller.cursor = std::move(entry.cursor);
    if (expected) {
      Model& flight = flights_[*expected];
      require(entry.flight == flight.real, "joins the one joinable flight");
      require(entry.refusal == JoinRefusal::kNone, "joined without refusal");
      ++flight.subscribers;
      flight.grace_until.reset();
      caller.flight = *expected;
      return;
    }
    require(entry.flight == spare, "opens its own flight");
    for (Model& other : flights_) {
      if (other.scope != world_.scopes[i] || !other.in_table) continue;
      require(entry.refusal != JoinRefusal::kNone, "says why it did not join");
      other.in_table = false;
      other.closed = true;
    }
    require(started(*spare), "the first attempt is allowed");
    caller.flight = flights_.size();
    flights_.push_back({spare, world_.scopes[i], clock_.now()});
  }

  bool started(FakeFlight& flight) {
    return table_.change(flight, [](Core& core) { return core.start_attempt(); });
  }

  void leave(std::size_t i) {
    Caller& caller = callers_[i];
    Model& flight = flights_[caller.flight];
    caller.got += read_some(caller.cursor);
    const ReplayLog& log = flight.real->log();
    if (log.ended() && log.ending() == FlightEnding::kWhole) {
      require(flight.state == State::kComplete, "(c) success is told only of a complete flight");
      require(caller.got == flight.log, "(c) success means the whole log");
    }
    const auto effect = table_.leave(*flight.real, clock_.now());
    caller.phase = Caller::Phase::kEnded;
    ++caller.endings;
    caller.cursor.drop();
    if (--flight.subscribers > 0 || !flight.live()) {
      require(effect == Core::OnLeave::kNothing, "leaving others or an ended flight does nothing");
      return;
    }
    const Duration grace = std::min(world_.bounds.grace_max, (clock_.now() - flight.opened_at) *
                                                                 world_.bounds.grace_percent / 100);
    if (grace > Duration::zero() && !flight.closed) {
      require(effect == Core::OnLeave::kStartGrace, "the last one starts the grace");
      flight.grace_until = clock_.now() + grace;
      return;
    }
    require(effect == Core::OnLeave::kAbandon, "without grace the call is cancelled at once");
    ended(flight, State::kAbandoned, FlightEnding::kAbandoned);
  }

  void tick() {
    ++ticks_;
    clock_.advance(seconds(1));
    for (Model& flight : flights_) {
      const bool due = flight.live() && flight.grace_until && *flight.grace_until <= clock_.now();
      const auto effect =
          table_.change(*flight.real, [&](Core& core) { return core.grace_over(clock_.now()); });
      require((effect == Core::OnGrace::kAbandon) == due,
              "grace ends when it is due, and only then");
      if (due) ended(flight, State::kAbandoned, FlightEnding::kAbandoned);
    }
  }

  void ended(Model& flight, State state, FlightEnding ending) {
    flight.state = state;
    flight.in_table = false;
    flight.grace_until.reset();
    flight.real->cancelled = true;
    flight.real->end(ending);
  }

  void upstream(Act act, Model& flight) {
    FakeFlight& real = *flight.real;
    if (act == Act::kHeaded) {
      table_.change(real, [](Core& core) { return core.headed(), 0; });
      flight.state = State::kHeaded;
    } else if (act == Act::kPublish) {
      table_.change(real, [](Core& core) { return core.commit(), 0; });
      flight.state = State::kStreaming;
      const char byte = static_cast<char>('0' + flights_.size() * 2 + flight.log.size());
      flight.log += byte;
      real.publish(std::string_view(&byte, 1));
    } else if (act == Act::kComplete) {
      table_.change(real, [](Core& core) { return core.complete(), 0; });
      ended(flight, State::kComplete, FlightEnding::kWhole);
    } else {
      failed(act, flight);
    }
  }

  void failed(Act act, Model& flight) {
    const bool wanted = act == Act::kRetry;
    const auto transience =
        wanted || ticks_ % 2 ? Core::Transience::kTransient : Core::Transience::kDeterministic;
    const auto budget = wanted || ticks_ % 2 == 0 ? Core::Budget::kGranted : Core::Budget::kRefused;
    const bool retried =
        wanted && !flight.published() && flight.retries == 0 && flight.subscribers > 0;
    const auto effect = table_.change(
        *flight.real, [&](Core& core) { return core.attempt_failed(transience, budget); });
    require((effect == Core::OnFailure::kRetry) == retried, "retries once, uncommitted, wanted");
    if (!retried) {
      return ended(flight, State::kFailed,
                   flight.log.empty() ? FlightEnding::kFailed : FlightEnding::kCut);
    }
    require(started(*flight.real), "a granted retry may start");
    flight.state = State::kOpening;
    ++flight.retries;
    ++flight.attempts;
  }

  // The invariants of the design, and model == reality.
  void check() {
    for (Model& flight : flights_) {
      Core core = table_.change(*flight.real, [](Core& actual) { return actual; });
      require(core.state() == flight.state, "the state is the model's");
      require(core.subscribers() == flight.subscribers, "the subscribers are the model's");
      require(core.attempts() == flight.attempts, "the attempts are the model's");
      require(core.attempts() <= 1 + flight.retries, "(e) attempts <= flights + retries granted");
      require(!core.start_attempt(), "(e) no attempt without a granted retry");
      require(flight.subscribers > 0 || flight.real->cancelled ||
                  (core.in_grace() && core.grace_until() > clock_.now()),
              "(a) somebody listens, or grace runs, or the call is cancelled");
      require(!flight.live() || core.in_grace() == flight.grace_until.has_value(),
              "grace runs exactly while nobody listens");
      require(flight.live() ||
                  core.join(clock_.now(), world_.bounds, 0, seconds(99)) == JoinRefusal::kTerminal,
              "an ended flight is never joined");
    }
    for (Model& flight : flights_) {
      std::size_t same_scope = 0;
      for (const Model& other : flights_)
        same_scope += other.scope == flight.scope && other.in_table ? 1 : 0;
      require(same_scope <= 1, "(b) at most one joinable flight per key");
    }
    check_readers();
  }

  // One caller reads everything at once, one byte by byte, one only when it leaves.
  void read() {
    for (std::size_t i = 0; i < 2; ++i) {
      Caller& caller = callers_[i];
      if (caller.phase != Caller::Phase::kReading) continue;
      caller.got += read_some(caller.cursor, i == 0 ? SIZE_MAX : 1);
    }
  }

  void check_readers() {
    for (std::size_t i = 0; i < kCallers; ++i) {
      Caller& caller = callers_[i];
      if (caller.phase != Caller::Phase::kReading) continue;
      const Model& flight = flights_[caller.flight];
      require(flight.scope == world_.scopes[i], "(f) no two scopes on one flight");
      require(flight.log.starts_with(caller.got), "(d) delivered bytes are a prefix of the log");
      require(caller.cursor.position() == caller.got.size(), "the cursor counts what was read");
    }
  }

  // Shutdown: every flight fails, every caller is told, nothing is left behind.
  void finish() {
    std::size_t in_table = 0;
    for (const Model& flight : flights_) in_table += flight.in_table ? 1 : 0;
    require(table_.size() == in_table, "the table holds exactly the joinable flights");
    for (Model& flight : flights_) {
      if (!flight.live()) continue;
      table_.change(*flight.real, [](Core& core) { return core.fail(), 0; });
      ended(flight, State::kFailed, FlightEnding::kShutdown);
    }
    for (std::size_t i = 0; i < kCallers; ++i) {
      if (callers_[i].phase == Caller::Phase::kReading) leave(i);
      require(callers_[i].endings == (callers_[i].phase == Caller::Phase::kEnded ? 1 : 0),
              "(g) every subscriber ends exactly once");
    }
    flights_.clear();
    require(budget_.held() == 0, "the memory is given back");
  }

  const World& world_;
  FlightTable& table_;
  ReplayBudget& budget_;
  ManualClock clock_;
  std::array<Caller, kCallers> callers_;
  std::vector<Model> flights_;
  std::vector<Step> options_;
  std::vector<Step> trace_;
  int ticks_ = 0;
};

class CoreEnumeration : public testing::TestWithParam<World> {};

TEST_P(CoreEnumeration, EveryInterleavingKeepsTheInvariants) {
  FlightTable table(GetParam().bounds);
  ReplayBudget budget(1 << 30);
  Odometer odometer;
  std::uint64_t runs = 0;
  do {
    Interleaving run(GetParam(), table, budget);
    try {
      run.play(odometer);
    } catch (const std::logic_error& broken) {
      FAIL() << "broken: " << broken.what() << "\n  in run " << runs << ":" << run.trace();
    }
    ++runs;
  } while (odometer.next());
  RecordProperty("interleavings", std::to_string(runs));
  EXPECT_GT(runs, 10'000U);
}

const World kWorlds[] = {
    {"ThreeAlike", bounds_of(9, 100), kDepth},
    {"TwoScopes", bounds_of(9, 100), kDepthOfVariants, {'a', 'b', 'a'}},
    {"RoomForTwo", bounds_of(2, 100), kDepthOfVariants},
    {"ThirdWantsFresh",
     bounds_of(9, 100),
     kDepthOfVariants,
     {'a', 'a', 'a'},
     {seconds(9), seconds(9), seconds(0)}},
    {"NoGrace", bounds_of(9, 0), kDepthOfVariants},
};
INSTANTIATE_TEST_SUITE_P(Worlds, CoreEnumeration, testing::ValuesIn(kWorlds),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Core, StatesHaveNames) {
  EXPECT_EQ(to_string(State::kOpening), "opening");
  EXPECT_EQ(to_string(State::kAbandoned), "abandoned");
}

TEST(Core, GraceEndsNotBeforeItsTimeAndOnlyIfStillRunning) {
  const Bounds bounds;
  const Time start = Time{} + seconds(100);
  Core core(start);
  core.open();
  core.leave(start + seconds(1), bounds);
  EXPECT_EQ(core.grace_over(core.grace_until() - Duration(1)), Core::OnGrace::kNothing);
  Core rejoined = core;
  EXPECT_EQ(rejoined.join(start + seconds(1), bounds, 0, seconds(9)), JoinRefusal::kNone);
  EXPECT_FALSE(rejoined.in_grace());
  EXPECT_EQ(rejoined.grace_over(kNever), Core::OnGrace::kNothing);
  EXPECT_EQ(core.grace_over(core.grace_until()), Core::OnGrace::kAbandon);
  EXPECT_EQ(core.grace_over(kNever), Core::OnGrace::kNothing) << "an ended flight has no grace";
}

TEST(Core, ClosedFlightIsNotJoined) {
  Core core(Time{});
  core.open();
  core.close_to_joiners();
  EXPECT_EQ(core.join(Time{}, Bounds{}, 0, seconds(9)), JoinRefusal::kWindowClosed);
}

TEST(Core, SecondTransientFailureIsFinal) {
  const auto fails = [](Core& core) {
    return core.attempt_failed(Core::Transience::kTransient, Core::Budget::kGranted);
  };
  Core core(Time{});
  core.open();
  EXPECT_TRUE(core.start_attempt());
  EXPECT_FALSE(core.start_attempt());
  EXPECT_EQ(fails(core), Core::OnFailure::kRetry);
  EXPECT_TRUE(core.start_attempt());
  EXPECT_EQ(fails(core), Core::OnFailure::kFail);
  EXPECT_EQ(core.attempts(), 2U);
}

TEST(Core, NothingLeavesATerminalState) {
  Core core(Time{});
  core.open();
  core.fail();
  core.headed();
  core.commit();
  EXPECT_EQ(core.state(), State::kFailed);
  EXPECT_FALSE(core.start_attempt());
  EXPECT_EQ(core.attempt_failed(Core::Transience::kTransient, Core::Budget::kGranted),
            Core::OnFailure::kFail);
  EXPECT_EQ(core.leave(Time{} + seconds(9), Bounds{}), Core::OnLeave::kNothing);
  EXPECT_EQ(core.state(), State::kFailed);
}

TEST(Core, GraceIsATenthOfTheAgeAndBounded) {
  const Bounds bounds;
  const Time start = Time{} + seconds(100);
  Core young(start);
  young.open();
  EXPECT_EQ(young.leave(start + seconds(1), bounds), Core::OnLeave::kStartGrace);
  EXPECT_EQ(young.grace_until(), start + seconds(1) + milliseconds(100));
  Core old(start);
  old.open();
  EXPECT_EQ(old.leave(start + seconds(500), bounds), Core::OnLeave::kStartGrace);
  EXPECT_EQ(old.grace_until(), start + seconds(502));
}

}  // namespace
}  // namespace slipstream::flight
