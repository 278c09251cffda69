// Adds up how requests ended, and compares across callers: who shared a generation must have the
// same bytes, the same prompt and the same tenant.
// Pure. Thread rule: one thread at a time. Memory: a few words per request and generation.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "lab/answer_checker.h"
#include "lab/burst_options.h"
#include "lab/report.h"

namespace slipstream::lab {

// How one request ended.
struct Outcome {
  enum class Ending { kComplete, kLeft, kFailed };  // kFailed: answer.defect says why

  std::size_t group = 0;
  std::uint64_t prompt = 0;
  int tenant = 0;
  Ending ending = Ending::kComplete;
  Answer answer;
  Duration first_token{};  // meaningful if answer.content_events > 0
  Duration total{};
};

class Tally {
 public:
  Tally(const std::vector<BurstGroup>& groups, TokenCheck tokens_from);

  void add(const Outcome& outcome);
  std::uint64_t count() const { return count_; }

  // Without elapsed and upstream_calls.
  BurstReport report();

 private:
  struct Generation {
    std::size_t group = 0;
    std::uint64_t prompt = 0;
    int tenant = 0;
    std::uint64_t tokens = 0;  // the most that anyone received
    bool whole = false;        // hash and bytes are those of a complete answer
    std::uint64_t hash = 0;
    std::uint64_t bytes = 0;
  };
  struct Group {
    GroupReport report;
    std::vector<Duration> first_lead;
    std::vector<Duration> first_follower;
    std::vector<Duration> total;
    std::uint64_t served = 0;  // answers that showed their generation
  };

  Defect compare(const Outcome& outcome);
  void count_role(Group& group, const Outcome& outcome);

  TokenCheck tokens_from_;
  std::vector<Group> groups_;
  std::unordered_map<std::uint64_t, Generation> generations_;
  std::uint64_t count_ = 0;
  std::string first_failure_;
};

}  // namespace slipstream::lab
