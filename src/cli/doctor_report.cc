#include <algorithm>

#include "cli/doctor.h"
#include "json/escape.h"

namespace slipstream::cli {

using identity::Fact;

namespace {

void append_padded(std::string& out, std::string_view text, std::size_t width) {
  out += text;
  if (text.size() < width) out.append(width - text.size(), ' ');
  out += "  ";
}

void append_line(std::string& out, std::string_view name, std::string_view text) {
  append_padded(out, name, 8);
  out += text;
  out += '\n';
}

// Wrapped at 100 columns, continued under its first word.
void append_sentences(std::string& out, std::string_view name, std::string_view text) {
  constexpr std::size_t kIndent = 22;
  constexpr std::size_t kWidth = 76;
  out += "  ";
  append_padded(out, name, kIndent - 4);
  while (text.size() > kWidth) {
    const std::size_t cut = text.rfind(' ', kWidth);
    if (cut == std::string_view::npos) break;
    out += text.substr(0, cut);
    out += '\n' + std::string(kIndent, ' ');
    text.remove_prefix(cut + 1);
  }
  out += text;
  out += '\n';
}

void append_facts(std::string& out, const identity::Identity& identity, Fact::Origin origin) {
  std::size_t subject_width = 0;
  std::size_t value_width = 0;
  bool any = false;
  for (const Fact& fact : identity.facts) {
    if (fact.origin != origin) continue;
    any = true;
    subject_width = std::max(subject_width, fact.subject.size());
    value_width = std::max(value_width, fact.value.size());
  }
  out += origin == Fact::Origin::kObserved ? "\nobserved\n" : "\ndeclared\n";
  if (!any) out += "  nothing\n";
  for (const Fact& fact : identity.facts) {
    if (fact.origin != origin) continue;
    out += "  ";
    append_padded(out, to_string(fact.name), 17);
    if (subject_width > 0) append_padded(out, fact.subject, subject_width);
    append_padded(out, fact.value, value_width);
    out += fact.source + "\n";
  }
}

std::string epoch_of(const Diagnosis& diagnosis) {
  return diagnosis.conclusive ? identity::epoch_of(diagnosis.identity, diagnosis.today) : "";
}

std::string questions_line(const Diagnosis& diagnosis) {
  const auto answered = std::count_if(diagnosis.asked.begin(), diagnosis.asked.end(),
                                      [](const auto& asked) { return asked.status == 200; });
  return std::to_string(diagnosis.asked.size()) + " questions, " + std::to_string(answered) +
         " answered";
}

std::string reason_of_inconclusive(const Diagnosis& diagnosis) {
  const auto& last = diagnosis.asked.back();
  return last.request +
         (last.status == 0 ? " was not answered in time"
                           : " was answered " + std::to_string(last.status)) +
         ": the server cannot tell now, what follows is not all of it";
}

}  // namespace

std::string diagnosis_table(const Diagnosis& diagnosis) {
  std::string out;
  append_line(out, "upstream", diagnosis.upstream + " (" + questions_line(diagnosis) + ")");
  append_line(out, "profile", to_string(diagnosis.identity.profile));
  if (diagnosis.conclusive) {
    append_line(
        out, "epoch",
        epoch_of(diagnosis) +
            (depends_on_date(diagnosis.identity) ? " (today, " + diagnosis.today + ")" : ""));
  } else {
    append_line(out, "epoch", "unknown: " + reason_of_inconclusive(diagnosis));
  }
  append_line(out, "artifact", to_string(proof_of(diagnosis.identity, diagnosis.model)));
  append_facts(out, diagnosis.identity, Fact::Origin::kObserved);
  append_facts(out, diagnosis.identity, Fact::Origin::kDeclared);
  out += "\nunknown\n";
  const auto unknown = unknown_of(diagnosis.identity);
  for (const auto name : unknown) out += "  " + std::string(to_string(name)) + "\n";
  if (unknown.empty()) out += "  nothing that matters\n";
  const identity::Meaning meaning = meaning_of(diagnosis.identity, diagnosis.model);
  out += "\nsharing\n";
  append_sentences(out, "inside one replica", meaning.inside_one_replica);
  append_sentences(out, "across replicas", meaning.across_replicas);
  return out;
}

namespace {

void append_member(std::string& out, std::string_view name, std::string_view text) {
  if (out.back() != '{') out += ',';
  json::append_quoted(out, name);
  out += ':';
  json::append_quoted(out, text);
}

void append_facts_json(std::string& out, const identity::Identity& identity) {
  out += R"(,"facts":[)";
  for (const Fact& fact : identity.facts) {
    out += out.back() == '[' ? "{" : ",\n{";
    append_member(out, "name", to_string(fact.name));
    append_member(out, "model", fact.subject);
    append_member(out, "value", fact.value);
    append_member(out, "origin", fact.origin == Fact::Origin::kObserved ? "observed" : "declared");
    append_member(out, "source", fact.source);
    out += '}';
  }
  out += "]";
}

}  // namespace

std::string diagnosis_json(const Diagnosis& diagnosis) {
  std::string out = "{";
  append_member(out, "upstream", diagnosis.upstream);
  append_member(out, "failure", diagnosis.failure);
  append_member(out, "profile", to_string(diagnosis.identity.profile));
  append_member(out, "epoch", epoch_of(diagnosis));
  append_member(out, "artifact", to_string(proof_of(diagnosis.identity, diagnosis.model)));
  out += R"(,"depends_on_date":)";
  out += depends_on_date(diagnosis.identity) ? "true" : "false";
  append_facts_json(out, diagnosis.identity);
  out += R"(,"unknown":[)";
  for (const auto name : unknown_of(diagnosis.identity)) {
    if (out.back() != '[') out += ',';
    json::append_quoted(out, to_string(name));
  }
  out += R"(],"asked":[)";
  for (const auto& asked : diagnosis.asked) {
    out += out.back() == '[' ? "{" : ",{";
    append_member(out, "request", asked.request);
    out += R"(,"status":)" + std::to_string(asked.status) + "}";
  }
  const identity::Meaning meaning = meaning_of(diagnosis.identity, diagnosis.model);
  out += R"(],"sharing":{)";
  append_member(out, "inside_one_replica", meaning.inside_one_replica);
  append_member(out, "across_replicas", meaning.across_replicas);
  return out + "}}\n";
}

}  // namespace slipstream::cli
