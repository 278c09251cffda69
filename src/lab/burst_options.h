// What the load generator is asked to do. Plain values with their defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "lab/answer_checker.h"

namespace slipstream::lab {

// Callers with a way of asking in common; one row of the report.
struct BurstGroup {
  std::string name = "callers";
  int callers = 50;
  int distinct = 1;              // shared prompts, dealt to the callers in turn
  double duplicate_share = 1.0;  // of requests that use a shared prompt; the others are unique
};

enum class Pace {
  kRounds,  // all callers start a round together and wait for its last one; new prompts every round
  kFree,    // each caller goes on at once; the shared prompts stay the same
};

struct BurstOptions {
  std::string url = "http://127.0.0.1:8080";  // of the target, in front of /v1; http only
  std::vector<BurstGroup> groups = {BurstGroup{}};
  // In all groups together; 0 = one per caller, or what `duration` allows.
  std::uint64_t requests = 0;
  Duration duration{};  // 0 = no limit; requests under way are finished
  Pace pace = Pace::kRounds;
  Duration spread{};  // a round's (first) requests start at random within this time

  Delivery delivery = Delivery::kStreamed;
  TokenCheck tokens_from = TokenCheck::kStub;
  std::string model = "stub";
  std::optional<double> temperature = 0.0;  // nothing = the member is left out
  int tokens = 0;                           // max_tokens; 0 = the member is left out
  int tenants = 1;  // distinct Authorization values, dealt to the callers in turn
  // Further fields; an "authorization" here replaces that of the tenants.
  std::vector<std::pair<std::string, std::string>> headers;

  double leave_share = 0.0;    // of requests whose caller leaves early ...
  int leave_after_events = 3;  // ... after so many events with text
  double slow_share = 0.0;     // of requests that are read slowly:
  std::size_t slow_read_bytes = 512;
  Duration slow_pause = milliseconds(10);

  Duration timeout = seconds(60);  // per request, connecting included
  std::string stats_url;           // of the stub ("http://127.0.0.1:9000"); empty = not asked
  std::uint64_t seed = 1;          // of spread and shares
};

// Empty if a burst can run with these; else what is wrong, in one sentence.
std::string problem_with(const BurstOptions& options);

}  // namespace slipstream::lab
