#include "identity/identity.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace slipstream::identity {

namespace {

constexpr std::size_t kEpochDigits = 16;

// Ollama leaves out the tag that everybody means.
bool same_model(std::string_view subject, std::string_view model) {
  return subject == model ||
         (subject.starts_with(model) && subject.substr(model.size()) == ":latest");
}

// Facts about the model (or the server as a whole).
template <typename Visit>
void for_each_about(const Identity& identity, std::string_view model, Visit&& visit) {
  for (const Fact& fact : identity.facts) {
    if (fact.subject.empty() || same_model(fact.subject, model)) visit(fact);
  }
}

std::set<std::string_view> models_of(const Identity& identity) {
  std::set<std::string_view> models;
  for (const Fact& fact : identity.facts) {
    if (!fact.subject.empty()) models.insert(fact.subject);
  }
  return models;
}

Proof proof_of_one(const Identity& identity, std::string_view model) {
  Proof proof = Proof::kUnknown;
  bool remote = false;
  const auto at_least = [&](Proof found) { proof = std::max(proof, found); };
  for_each_about(identity, model, [&](const Fact& fact) {
    const bool declared = fact.origin == Fact::Origin::kDeclared;
    switch (fact.name) {
      case FactName::kArtifactDigest:
        return at_least(declared ? Proof::kDeclared : Proof::kProven);
      case FactName::kModelPath:
      case FactName::kModelDetails:
      case FactName::kWeightVersion:
        return at_least(Proof::kClaimed);
      case FactName::kRemote:
        remote = true;
        return;
      case FactName::kLabel:
      case FactName::kModel:
      case FactName::kTokenizer:
      case FactName::kTemplate:
      case FactName::kTemplateDate:
      case FactName::kSamplingDefaults:
      case FactName::kContextLength:
      case FactName::kAdapters:
      case FactName::kBuild:
      case FactName::kCommand:
        return;
    }
  });
  // The digest of a remote model is that of its name.
  return remote && proof == Proof::kProven ? Proof::kClaimed : proof;
}

// Ollama's digest is that of a manifest that names template and parameters, TGI's revision pins a
// whole repository. Other digests are of the weights alone.
bool digest_covers(const Identity& identity, FactName name) {
  const bool whole = identity.profile == Profile::kOllama || identity.profile == Profile::kTgi;
  return whole && (name == FactName::kTemplate || name == FactName::kSamplingDefaults) &&
         proof_of(identity) == Proof::kProven;
}

void append_part(std::string& out, std::string_view part) {
  append_decimal(out, part.size());
  out += ':';
  out += part;
}

bool is_hosted(Profile profile) {
  return profile == Profile::kOpenAi || profile == Profile::kAzure ||
         profile == Profile::kAnthropic;
}

std::string across(Proof proof, const Identity& identity) {
  switch (proof) {
    case Proof::kProven:
    case Proof::kDeclared: {
      std::string text = proof == Proof::kProven
                             ? "May share: the server proves which artifact answers, so replicas "
                               "that show the same epoch serve the same model."
                             : "May share on your word: replicas that declare the same "
                               "artifact_digest and show the same epoch are taken for the same "
                               "model.";
      const auto unknown = unknown_of(identity);
      if (std::find(unknown.begin(), unknown.end(), FactName::kCommand) != unknown.end())
        text += " Launch flags are not visible: declare upstream.declared.command if they differ.";
      return text;
    }
    case Proof::kClaimed:
      return "Must not share: a path or a version names the artifact but does not prove it. "
             "Declare upstream.declared.artifact_digest to allow it.";
    case Proof::kUnknown:
      return is_hosted(identity.profile)
                 ? "Must not share: a hosted model name may move to another model at any time, and "
                   "nothing observable says when."
                 : "Must not share: nothing says which artifact answers. Declare "
                   "upstream.declared.artifact_digest to allow it.";
  }
  return {};
}

}  // namespace

Identity make_identity(Profile profile, std::vector<Fact> observed, const Declared& declared) {
  Identity identity{profile, std::move(observed)};
  const auto declare = [&](FactName name, const std::string& value, std::string source) {
    if (value.empty()) return;
    identity.facts.push_back({name, "", shown(value), std::move(source), Fact::Origin::kDeclared});
  };
  declare(FactName::kLabel, declared.label, "epoch");
  declare(FactName::kArtifactDigest, declared.artifact_digest, "upstream.declared.artifact_digest");
  declare(FactName::kCommand, declared.command, "upstream.declared.command");
  std::sort(identity.facts.begin(), identity.facts.end());
  const auto same = [](const Fact& a, const Fact& b) {
    return a.name == b.name && a.subject == b.subject && a.value == b.value && a.origin == b.origin;
  };
  identity.facts.erase(std::unique(identity.facts.begin(), identity.facts.end(), same),
                       identity.facts.end());
  return identity;
}

Proof proof_of(const Identity& identity, std::string_view model) {
  const auto models = models_of(identity);
  if (!model.empty() || models.empty()) return proof_of_one(identity, model);
  Proof weakest = Proof::kProven;
  for (const std::string_view one : models) {
    weakest = std::min(weakest, proof_of_one(identity, one));
  }
  return weakest;
}

std::vector<FactName> unknown_of(const Identity& identity) {
  std::vector<FactName> unknown;
  for (const FactName name : {FactName::kArtifactDigest, FactName::kTemplate,
                              FactName::kSamplingDefaults, FactName::kBuild, FactName::kCommand}) {
    const bool known = std::any_of(identity.facts.begin(), identity.facts.end(),
                                   [&](const Fact& fact) { return fact.name == name; });
    if (!known && !digest_covers(identity, name)) unknown.push_back(name);
  }
  return unknown;
}

bool depends_on_date(const Identity& identity) {
  const auto seen = [&](std::string_view model) {
    bool found = false;
    for_each_about(identity, model,
                   [&](const Fact& fact) { found |= fact.name == FactName::kTemplate; });
    return found;
  };
  for (const Fact& fact : identity.facts) {
    if (fact.name == FactName::kTemplateDate) return true;
  }
  const auto models = models_of(identity);
  return !seen("") && (models.empty() || !std::all_of(models.begin(), models.end(), seen));
}

std::string utc_date(WallTime at) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(at));
  const auto two = [](unsigned value) {
    return std::string(1, static_cast<char>('0' + value / 10)) +
           static_cast<char>('0' + value % 10);
  };
  return std::to_string(static_cast<int>(day.year())) + "-" +
         two(static_cast<unsigned>(day.month())) + "-" + two(static_cast<unsigned>(day.day()));
}

Duration until_next_utc_date(WallTime at) {
  const auto next = std::chrono::floor<std::chrono::days>(at) + std::chrono::days(1);
  return std::chrono::duration_cast<Duration>(next - at);
}

std::string epoch_of(const Identity& identity, std::string_view utc_date) {
  std::string text = "slipstream-epoch-v1\n";
  append_part(text, to_string(identity.profile));
  append_part(text, depends_on_date(identity) ? utc_date : std::string_view());
  for (const Fact& fact : identity.facts) {
    append_part(text, to_string(fact.name));
    append_part(text, fact.subject);
    append_part(text, fact.value);
    text += fact.origin == Fact::Origin::kDeclared ? 'd' : 'o';
  }
  return sha256_hex(text).substr(0, kEpochDigits);
}

Meaning meaning_of(const Identity& identity, std::string_view model) {
  Meaning meaning;
  meaning.inside_one_replica =
      "Shares: leader and follower reach the same connection target at the same time. A change "
      "that is observed, or made through the gateway, starts a new epoch, and nothing joins across "
      "it.";
  if (depends_on_date(identity))
    meaning.inside_one_replica +=
        " The prompt may contain the date, so every UTC day is an epoch of its own.";
  meaning.across_replicas = across(proof_of(identity, model), identity);
  return meaning;
}

}  // namespace slipstream::identity
