#include "lab/report.h"

#include <gtest/gtest.h>

#include "json/canonical.h"
#include "lab/planner.h"
#include "lab/progress.h"
#include "lab/tally.h"

namespace slipstream::lab {
namespace {

Outcome outcome(std::uint64_t call, std::uint64_t prompt, Role role = Role::kLeader) {
  Outcome outcome;
  outcome.prompt = prompt;
  outcome.answer.role = role;
  outcome.answer.status = 200;
  outcome.answer.call = call;
  outcome.answer.tokens = 10;
  outcome.answer.content_events = 10;
  outcome.first_token = milliseconds(role == Role::kFollower ? 5 : 300);
  outcome.total = milliseconds(400);
  return outcome;
}

TEST(Tally, CountsGenerationsJoinsAndSavedTokens) {
  Tally tally({{.name = "identical", .callers = 3}, {.name = "different", .callers = 2}},
              TokenCheck::kStub);
  tally.add(outcome(1, 7));
  tally.add(outcome(1, 7, Role::kFollower));
  tally.add(outcome(1, 7, Role::kFollower));
  for (std::uint64_t call = 2; call <= 3; ++call) {
    Outcome other = outcome(call, call, Role::kSolo);
    other.group = 1;
    tally.add(other);
  }
  const BurstReport report = tally.report();
  EXPECT_TRUE(report.all_sound());
  const GroupReport& identical = report.groups[0];
  EXPECT_EQ(identical.generations, 1U);
  EXPECT_EQ(identical.joined, 2U);
  EXPECT_EQ(identical.tokens_saved, 20U);
  EXPECT_EQ(identical.first_lead.p50, milliseconds(300));
  EXPECT_EQ(identical.first_follower.count, 2U);
  EXPECT_EQ(report.groups[1].generations, 2U);
  EXPECT_EQ(report.groups[1].joined, 0U);
}

TEST(Tally, ComparesAcrossCallers) {
  Tally tally({{.name = "g"}}, TokenCheck::kStub);
  tally.add(outcome(1, 7));
  Outcome unequal = outcome(1, 7);
  unequal.answer.body_hash = 99;
  tally.add(unequal);
  tally.add(outcome(1, 8));
  Outcome tenant = outcome(1, 7);
  tenant.tenant = 1;
  tally.add(tenant);
  const GroupReport group = tally.report().groups[0];
  EXPECT_EQ(group.sound, 1U);
  EXPECT_EQ(group.failed(), 3U);
  for (const Defect defect : {Defect::kUnequal, Defect::kWrongPrompt, Defect::kWrongTenant}) {
    EXPECT_EQ(group.defects[static_cast<std::size_t>(defect)], 1U) << name_of(defect);
  }
  EXPECT_FALSE(tally.report().all_sound());
}

TEST(Tally, CallersThatLeaveAreNoFailures) {
  Tally tally({{.name = "g"}}, TokenCheck::kStub);
  Outcome left = outcome(1, 7);
  left.ending = Outcome::Ending::kLeft;
  left.answer.tokens = 3;
  tally.add(left);
  tally.add(outcome(1, 7, Role::kFollower));
  const BurstReport report = tally.report();
  EXPECT_TRUE(report.all_sound());
  EXPECT_EQ(report.groups[0].left, 1U);
  EXPECT_EQ(report.groups[0].tokens_saved, 3U);
}

TEST(Tally, WithoutTheStubRolesTell) {
  Tally tally({{.name = "g"}}, TokenCheck::kNone);
  for (const Role role : {Role::kLeader, Role::kFollower, Role::kSolo}) {
    Outcome foreign = outcome(0, 7, role);
    foreign.answer.call.reset();
    tally.add(foreign);
  }
  EXPECT_EQ(tally.report().groups[0].generations, 2U);
  EXPECT_EQ(tally.report().groups[0].joined, 1U);
}

TEST(Report, QuantilesAreNearestRank) {
  std::vector<Duration> samples;
  for (int i = 100; i >= 1; --i) samples.push_back(milliseconds(i));
  const Quantiles quantiles = quantiles_of(samples);
  EXPECT_EQ(quantiles.p50, milliseconds(50));
  EXPECT_EQ(quantiles.p95, milliseconds(95));
  samples = {milliseconds(4)};
  EXPECT_EQ(quantiles_of(samples).p95, milliseconds(4));
}

BurstReport example() {
  BurstReport report;
  report.groups.resize(1);
  GroupReport& group = report.groups[0];
  group.name = "identical";
  group.callers = group.requests = 50;
  group.sound = group.joined = 49;
  group.generations = 1;
  group.tokens_saved = 980;
  group.first_lead = {.count = 1, .p50 = milliseconds(301), .p95 = milliseconds(1250), .p99 = {}};
  group.defects[static_cast<std::size_t>(Defect::kNoDone)] = 1;
  report.elapsed = seconds(2);
  report.upstream_calls = 1;
  report.first_failure = "a clean end without [DONE]";
  return report;
}

TEST(Report, Table) {
  EXPECT_EQ(render_table(example()),
            "           callers  requests  generations  followers   TTFT leaders  TTFT followers  "
            "tokens saved  verified\n"
            "identical       50        50            1         49  301ms / 1.25s               -  "
            "         980     49/50\n"
            "\n50 requests in 2.00s, 25 a second; the upstream saw 1\n"
            "TTFT: time to first token, p50 / p95; followers: joined a generation that a leader "
            "started;\n"
            "verified: complete to the last byte and equal wherever a generation was shared\n"
            "identical: FAILED 1: a clean end without [DONE]\n"
            "first failure: a clean end without [DONE]\n");
}

TEST(Report, JsonIsJson) {
  json::Canonicalizer canonicalizer;
  std::string out;
  EXPECT_TRUE(canonicalizer.append(render_json(example()), out).ok());
  EXPECT_NE(out.find(R"("failures":{"no_done":1})"), std::string::npos);
  EXPECT_NE(out.find(R"("first_token_follower":null)"), std::string::npos);
  EXPECT_NE(out.find(R"("all_sound":false)"), std::string::npos);
}

TEST(Report, ProgressLine) {
  EXPECT_EQ(render_progress({.done = 2100, .expected = 5000, .elapsed = seconds(2)}),
            " 42%  2100 of 5000 requests, 1050 a second");
  EXPECT_EQ(render_progress({.done = 10, .failed = 1, .elapsed = seconds(5), .limit = seconds(5)}),
            "100%  10 requests, 2 a second, 1 FAILED");
}

TEST(Roles, AreFoundInAnyForm) {
  EXPECT_EQ(role_in("leader"), Role::kLeader);
  EXPECT_EQ(role_in("role=follower; flight=a1"), Role::kFollower);
  EXPECT_EQ(role_in("flight=leaderless, role=\"solo\""), Role::kSolo);
  EXPECT_EQ(role_in(""), Role::kUnknown);
}

TEST(Planner, SharesExactlyWhatItIsToldTo) {
  BurstOptions options;
  options.groups = {{.callers = 4, .distinct = 2}, {.callers = 2, .duplicate_share = 0}};
  options.tenants = 1;
  options.headers = {{"x-extra", "1"}};
  const Target target{.address = {}, .host = "h:1", .path = "/p"};
  Planner planner(options, target);
  const RequestPlan first = planner.plan(0, 0, 0);
  EXPECT_EQ(first.bytes, planner.plan(0, 2, 0).bytes);
  EXPECT_EQ(first.prompt, planner.plan(0, 2, 0).prompt);
  EXPECT_NE(first.bytes, planner.plan(0, 1, 0).bytes);
  EXPECT_NE(first.bytes, planner.plan(0, 0, 1).bytes);
  EXPECT_NE(planner.plan(1, 0, 0).bytes, planner.plan(1, 0, 0).bytes);
  EXPECT_TRUE(first.bytes.starts_with("POST /p/v1/chat/completions HTTP/1.1\r\n"));
  EXPECT_NE(first.bytes.find("\r\nx-extra: 1\r\n"), std::string::npos);
  EXPECT_NE(first.bytes.find(R"("temperature":0)"), std::string::npos);
}

}  // namespace
}  // namespace slipstream::lab
