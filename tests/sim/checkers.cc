#include "sim/checkers.h"

#include <algorithm>

#include "gateway/shared.h"

namespace slipstream::sim {

using telemetry::Counter;
using telemetry::LabelledCounter;

namespace {

void equal(Findings& findings, std::string_view what, std::uint64_t got, std::uint64_t wanted) {
  if (got == wanted) return;
  findings.push_back(std::string(what) + ": " + std::to_string(got) + " instead of " +
                     std::to_string(wanted));
}

std::uint64_t lines_named(const Outcome& outcome, std::string_view name) {
  return static_cast<std::uint64_t>(
      std::count_if(outcome.log.begin(), outcome.log.end(),
                    [name](const LogLine& line) { return line.name == name; }));
}

}  // namespace

void check_counts(const Outcome& outcome, Findings& findings) {
  const Counts& counts = outcome.counts;
  const std::uint64_t leaders = lines_named(outcome, "leader");
  const std::uint64_t followers = lines_named(outcome, "follower");
  const std::uint64_t solos = lines_named(outcome, "solo");
  equal(findings, "leaders counted", counts.of(Counter::kLeaders), leaders);
  equal(findings, "followers counted", counts.of(Counter::kFollowers), followers);
  equal(findings, "requests and fallbacks counted",
        counts.of(Counter::kRequests) + counts.of(Counter::kFallbacks),
        leaders + followers + solos);
  equal(findings, "verdicts counted", counts.sum(LabelledCounter::kVerdicts),
        counts.of(Counter::kRequests));
  equal(findings, "flight endings counted", counts.sum(LabelledCounter::kFlightEndings),
        leaders + solos);
  const auto bad_body = static_cast<std::size_t>(gateway::RefusedBecause::kBody);
  equal(findings, "subscriber endings counted", counts.sum(LabelledCounter::kSubscriberEndings),
        counts.sum(LabelledCounter::kVerdicts) +
            counts.of(LabelledCounter::kRefusedRequests, bad_body));
  equal(findings, "upstream calls counted", counts.of(Counter::kUpstreamCalls),
        outcome.attempts.size());
  const std::uint64_t retries = counts.sum(LabelledCounter::kRetries);
  equal(findings, "retries counted", retries, lines_named(outcome, "retry"));
  if (outcome.attempts.size() > leaders + solos + retries) {
    findings.push_back("more attempts than flights and retries");
  }
}

void check_rest(const Outcome& outcome, Findings& findings) {
  if (outcome.end == SimWorld::End::kTooManySteps) findings.push_back("the world never rests");
  if (outcome.end == SimWorld::End::kTooLate) findings.push_back("something waits for hours");
  equal(findings, "live flights at rest", outcome.live_flights, 0);
  equal(findings, "subscribers at rest", outcome.live_subscribers, 0);
  equal(findings, "flights in the table at rest", outcome.table_size, 0);
  equal(findings, "connections at rest", outcome.connections, 0);
  equal(findings, "busy upstream connections at rest", outcome.busy_upstream, 0);
  equal(findings, "bytes held by replay logs at rest", outcome.replay_held, 0);
  if (!outcome.workers_idle) findings.push_back("a worker is not idle at rest");
  if (!outcome.swarm.stopped) {
    equal(findings, "idle upstream connections at rest", outcome.idle_upstream, 0);
  }
}

std::vector<std::string> check(const Outcome& outcome) {
  Findings findings;
  check_rest(outcome, findings);
  check_replies(outcome, findings);
  check_log(outcome, findings);
  check_counts(outcome, findings);
  return findings;
}

}  // namespace slipstream::sim
