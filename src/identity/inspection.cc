#include "identity/inspection.h"

#include <algorithm>

#include "base/check.h"
#include "json/canonical.h"

namespace slipstream::identity {

namespace {

constexpr std::size_t kShowsMax = 8;

// A server that is overloaded or loading will tell later.
bool is_passing(int status) {
  return status == 408 || status == 429 || status == 502 || status == 503 || status == 504 ||
         status == 529;
}

std::string canonical_of(std::string_view body) {
  std::string out;
  json::Canonicalizer canonicalizer;
  if (!canonicalizer.append(body, out)) out.clear();
  return out;
}

}  // namespace

Inspection::Inspection(Setup setup) : setup_(std::move(setup)) {
  profile_ = setup_.profile ? setup_.profile : recognise_host(setup_.host);
  if (profile_) {
    plan(*profile_);
  } else {
    ask(detection().front());
  }
}

void Inspection::ask(Question question, std::string_view model) {
  pending_.push_back(probe_for(question, model));
}

void Inspection::plan(Profile profile) {
  profile_ = profile;
  for (const Question question : questions_of(profile)) {
    const bool asked = std::any_of(answered_.begin(), answered_.end(), [&](const Answered& answer) {
      return answer.probe.question == question;
    });
    if (!asked) ask(question);
  }
}

void Inspection::answer(int status, std::string_view body) {
  SLIP_CHECK(!pending_.empty());
  const Probe probe = std::move(pending_.front());
  pending_.pop_front();
  asked_.push_back({std::string(probe.method) + " " + probe.path, status});
  if (is_passing(status)) {
    conclusive_ = false;
    return pending_.clear();
  }
  if (status != 200) {
    if (auto other = other_probe_for(probe)) return pending_.push_front(std::move(*other));
  }
  answered_.push_back({probe, status == 200 ? canonical_of(body) : std::string()});
  if (!profile_) detect(probe, answered_.back().canonical);
  if (profile_ == Profile::kOllama && pending_.empty() && probe.question != Question::kOllamaShow)
    plan_shows();
}

void Inspection::detect(const Probe& probe, std::string_view canonical) {
  if (const auto found = recognise(probe.question, canonical)) return plan(*found);
  if (++detecting_ < detection().size()) return ask(detection()[detecting_]);
  plan(Profile::kGeneric);
}

void Inspection::plan_shows() {
  std::size_t shows = 0;
  for (const Fact& fact : identity().facts) {
    if (fact.name == FactName::kModel && shows++ < kShowsMax)
      ask(Question::kOllamaShow, fact.subject);
  }
}

void Inspection::unanswered() {
  SLIP_CHECK(!pending_.empty());
  asked_.push_back({std::string(pending_.front().method) + " " + pending_.front().path, 0});
  conclusive_ = false;
  pending_.clear();
}

Identity Inspection::identity() const {
  const Profile profile = profile_.value_or(Profile::kGeneric);
  const auto questions = questions_of(profile);
  std::vector<Fact> facts;
  for (const Answered& answer : answered_) {
    const Question question = answer.probe.question;
    // What only served to find out is not part of it.
    const bool counts = question == Question::kOllamaShow ||
                        std::find(questions.begin(), questions.end(), question) != questions.end();
    if (!counts) continue;
    for (Fact& fact : facts_in(answer.probe, answer.canonical)) facts.push_back(std::move(fact));
  }
  return make_identity(profile, std::move(facts), setup_.declared);
}

}  // namespace slipstream::identity
