#include "lab/tally.h"

#include <algorithm>

namespace slipstream::lab {

Tally::Tally(const std::vector<BurstGroup>& groups, TokenCheck tokens_from)
    : tokens_from_(tokens_from) {
  for (const BurstGroup& group : groups) {
    groups_.emplace_back();
    groups_.back().report.name = group.name;
    groups_.back().report.callers = static_cast<std::uint64_t>(group.callers);
  }
}

void Tally::add(const Outcome& outcome) {
  Group& group = groups_[outcome.group];
  ++count_;
  ++group.report.requests;
  group.report.tokens += outcome.answer.tokens;
  count_role(group, outcome);
  Defect defect = outcome.answer.defect;
  if (outcome.answer.call) {
    ++group.served;
    const Defect compared = compare(outcome);
    if (defect == Defect::kNone) defect = compared;
  }
  if (defect != Defect::kNone) {
    ++group.report.defects[static_cast<std::size_t>(defect)];
    if (first_failure_.empty()) {
      first_failure_ = std::string(sentence_of(defect));
      if (!outcome.answer.detail.empty()) first_failure_ += ": " + outcome.answer.detail;
    }
  } else if (outcome.ending == Outcome::Ending::kLeft) {
    ++group.report.left;
  } else {
    ++group.report.sound;
    group.total.push_back(outcome.total);
  }
}

void Tally::count_role(Group& group, const Outcome& outcome) {
  const Role role = outcome.answer.role;
  group.report.leaders += role == Role::kLeader;
  group.report.followers += role == Role::kFollower;
  group.report.solo += role == Role::kSolo;
  if (outcome.answer.content_events == 0) return;
  (role == Role::kFollower ? group.first_follower : group.first_lead)
      .push_back(outcome.first_token);
}

Defect Tally::compare(const Outcome& outcome) {
  const Answer& answer = outcome.answer;
  const auto [found, is_new] = generations_.try_emplace(
      *answer.call,
      Generation{.group = outcome.group, .prompt = outcome.prompt, .tenant = outcome.tenant});
  Generation& generation = found->second;
  generation.tokens = std::max(generation.tokens, answer.tokens);
  if (generation.prompt != outcome.prompt) return Defect::kWrongPrompt;
  if (generation.tenant != outcome.tenant) return Defect::kWrongTenant;
  if (outcome.ending != Outcome::Ending::kComplete || answer.defect != Defect::kNone) {
    return Defect::kNone;
  }
  if (!generation.whole) {
    generation.whole = true;
    generation.hash = answer.body_hash;
    generation.bytes = answer.body_bytes;
  }
  const bool equal = generation.hash == answer.body_hash && generation.bytes == answer.body_bytes;
  return equal ? Defect::kNone : Defect::kUnequal;
}

BurstReport Tally::report() {
  BurstReport report;
  report.first_failure = first_failure_;
  for (Group& group : groups_) {
    group.report.first_lead = quantiles_of(group.first_lead);
    group.report.first_follower = quantiles_of(group.first_follower);
    group.report.total = quantiles_of(group.total);
    report.groups.push_back(group.report);
  }
  std::vector<std::uint64_t> generated(groups_.size());
  for (const auto& [call, generation] : generations_) {
    ++report.groups[generation.group].generations;
    generated[generation.group] += generation.tokens;
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    GroupReport& group = report.groups[i];
    if (tokens_from_ == TokenCheck::kNone) {
      group.generations = group.leaders + group.solo;
      group.joined = group.followers;
      continue;
    }
    // A generation belongs to the group that showed it first; one that serves two groups is a
    // defect (another prompt), so the differences below are not negative in a sound burst.
    group.joined = groups_[i].served - std::min(groups_[i].served, group.generations);
    group.tokens_saved = group.tokens - std::min(group.tokens, generated[i]);
  }
  return report;
}

}  // namespace slipstream::lab
