// What a burst found out, and its two written forms. Values and pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "lab/defect.h"

namespace slipstream::lab {

struct Quantiles {
  std::uint64_t count = 0;
  Duration p50{};
  Duration p95{};
  Duration p99{};
};
// Nearest rank. Sorts `samples`.
Quantiles quantiles_of(std::vector<Duration>& samples);

struct GroupReport {
  std::string name;
  std::uint64_t callers = 0;
  std::uint64_t requests = 0;  // ended, in whatever way
  std::uint64_t sound = 0;     // answers complete, checked to the last byte and equal where shared
  std::uint64_t left = 0;      // callers that left on purpose
  // Distinct generations seen in the answers; without the stub's tokens: what the roles say.
  std::uint64_t generations = 0;
  std::uint64_t joined = 0;  // requests served by a generation that another request started
  std::uint64_t leaders = 0;
  std::uint64_t followers = 0;
  std::uint64_t solo = 0;
  std::uint64_t tokens = 0;        // delivered
  std::uint64_t tokens_saved = 0;  // delivered, but not generated again for it
  Quantiles first_lead;            // time to first token of callers that were no followers
  Quantiles first_follower;
  Quantiles total;  // to the end of complete answers
  std::array<std::uint64_t, kDefects> defects{};

  std::uint64_t failed() const;
};

struct BurstReport {
  std::vector<GroupReport> groups;
  Duration elapsed{};
  std::optional<std::uint64_t> upstream_calls;  // the stub's own count, if it was asked
  std::string first_failure;                    // an example, empty if all went well

  // Every request ended sound, or was meant to be left.
  bool all_sound() const;
};

// A table for people, lines ending in '\n'.
std::string render_table(const BurstReport& report);
// One JSON object; durations in milliseconds.
std::string render_json(const BurstReport& report);

}  // namespace slipstream::lab
