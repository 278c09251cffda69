// Runs many worlds, each from its seed.
//
//   SIM_SEEDS=20000 build/release/tests/sim/sim_test        more worlds
//   SIM_FIRST=5000  build/release/tests/sim/sim_test        other worlds
//   SIM_SEED=123    build/release/tests/sim/sim_test        one world, with its whole trace
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "sim/checkers.h"
#include "sim/simulation.h"

namespace slipstream::sim {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::uint64_t kSeedsByDefault = 300;
#else
constexpr std::uint64_t kSeedsByDefault = 3000;
#endif
#else
constexpr std::uint64_t kSeedsByDefault = 3000;
#endif
constexpr std::uint64_t kFailuresByDefault = 5;
constexpr std::size_t kWorldsWaiting = 16;

// Worlds that fail when a bug that the simulation found once comes back (sim_mutants.py plants
// each).
constexpr std::uint64_t kRegressionSeeds[] = {
    1000,  // half of a 100 Continue before the answer
    1002,  // an answer of the gateway's own was never over
    1022,  // a cut body whose end only the close tells was called complete
    1046,  // an error event glued to half an event
    1050,  // writable before there was anything to write
    1111,  // an error event glued to a torn relay
    1331,  // a paused flight that nobody resumed
    1469,  // a half-closed caller was shown a clean end
    1618,  // keep-alive was promised and not kept
};

std::optional<std::uint64_t> number_from(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? parse_decimal(text) : std::nullopt;
}

std::string program;  // as it was started

std::string told(std::uint64_t seed, const Findings& findings) {
  std::string text = "seed " + std::to_string(seed) + ":\n";
  for (const std::string& finding : findings) text += "  " + finding + "\n";
  return text + "replay: SIM_SEED=" + std::to_string(seed) + " " + program + "\n";
}

// A world that breaks an assertion ends the program: say which one it was.
std::uint64_t running_seed = 0;
void on_abort(int) {
  std::fprintf(stderr, "replay: SIM_SEED=%llu %s\n", static_cast<unsigned long long>(running_seed),
               program.c_str());
  std::fflush(nullptr);
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

Outcome run(std::uint64_t seed, SimWorld::Trace trace) {
  running_seed = seed;
  return run_world(seed, trace);
}

// True if the world kept every promise.
bool holds(std::uint64_t seed, Outcome& outcome) {
  outcome.settle();
  const Findings findings = check(outcome);
  if (!findings.empty()) ADD_FAILURE() << told(seed, findings);
  return findings.empty();
}

void print_log(const Outcome& outcome) {
  for (const LogLine& line : outcome.log) {
    std::printf("%10.3f s  log: %s%s\n", static_cast<double>(line.at_ms) / 1000.0,
                line.name.c_str(), line.text.c_str());
  }
}

TEST(Simulation, OneWorld) {
  const auto seed = number_from("SIM_SEED");
  if (!seed) GTEST_SKIP() << "SIM_SEED is not set";
  Outcome outcome = run(*seed, SimWorld::Trace::kPrinted);
  const bool held = holds(*seed, outcome);
  print_log(outcome);
  std::printf("%llu turns, %lld ms, hash %016llx\n", static_cast<unsigned long long>(outcome.steps),
              outcome.virtual_ms, static_cast<unsigned long long>(outcome.hash));
  EXPECT_TRUE(held);
}

TEST(Simulation, SameSeedSameWorld) {
  if (number_from("SIM_SEED")) GTEST_SKIP();
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Outcome first = run(seed, SimWorld::Trace::kHashed);
    const Outcome second = run(seed, SimWorld::Trace::kHashed);
    EXPECT_EQ(first.hash, second.hash) << "seed " << seed;
    EXPECT_EQ(first.steps, second.steps) << "seed " << seed;
  }
}

TEST(Simulation, WorldsThatFailedOnce) {
  if (number_from("SIM_SEED")) GTEST_SKIP();
  for (const std::uint64_t seed : kRegressionSeeds) {
    Outcome outcome = run(seed, SimWorld::Trace::kHashed);
    holds(seed, outcome);
  }
}

TEST(Simulation, ManyWorlds) {
  if (number_from("SIM_SEED")) GTEST_SKIP();
  const std::uint64_t first = number_from("SIM_FIRST").value_or(1000);
  const std::uint64_t seeds = number_from("SIM_SEEDS").value_or(kSeedsByDefault);
  // A few worlds are kept until the threads of their logs have caught up.
  std::deque<std::pair<std::uint64_t, Outcome>> waiting;
  const std::uint64_t failures_max = number_from("SIM_FAILURES").value_or(kFailuresByDefault);
  std::uint64_t failures = 0;
  for (std::uint64_t seed = first; seed < first + seeds || !waiting.empty();) {
    const bool more = seed < first + seeds;
    if (more) waiting.emplace_back(seed, run(seed, SimWorld::Trace::kHashed));
    if (more) ++seed;
    if (more && waiting.size() < kWorldsWaiting) continue;
    if (!holds(waiting.front().first, waiting.front().second) && ++failures == failures_max) break;
    waiting.pop_front();
  }
}

}  // namespace
}  // namespace slipstream::sim

int main(int argc, char** argv) {
  slipstream::sim::program = argv[0];
  std::signal(SIGABRT, slipstream::sim::on_abort);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
