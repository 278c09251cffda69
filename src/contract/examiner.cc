#include <algorithm>

#include "base/check.h"
#include "base/digest.h"
#include "base/text.h"
#include "contract/contract.h"
#include "contract/findings.h"
#include "contract/form.h"
#include "contract/headers.h"
#include "contract/preimage.h"
#include "contract/verdict.h"
#include "json/canonical.h"

namespace slipstream::contract {
namespace {

// Above this the memory of one giant request is not kept for the next one.
constexpr std::size_t kPreimageKeptMax = 1 << 20;
// A longer credential is hashed each time: a connection's memo stays small.
constexpr std::size_t kRememberedMax = 1 << 10;

BodyFault fault_at(std::string_view what, std::string_view fault, std::size_t offset) {
  std::string message(what);
  message += fault;
  message += " at byte ";
  append_decimal(message, offset);
  message += '.';
  return {std::move(message)};
}

// The text of a model's name that needs no decoding, else empty.
std::string_view plain_text(const json::Member& member, BodyForm form) {
  const std::string_view raw = member.raw;
  if (form == BodyForm::kForm) return raw;
  if (member.kind != json::Kind::kString || raw.find('\\') != std::string_view::npos) return {};
  return raw.substr(1, raw.size() - 2);
}

// The words for true that form parsers take beside it (pydantic's).
bool means_yes(std::string_view text) {
  constexpr std::string_view kWords[] = {"true", "1", "on", "yes", "t", "y"};
  return std::ranges::any_of(kWords, [&](auto word) { return iequals(text, word); });
}

bool is_streamed(const SurfaceRow& row, const Findings& found) {
  if (row.streams == StreamForm::kNone) return false;
  return row.streamed == SurfaceRow::Streamed::kUnlessDeclined ? !found.stream_declined
                                                               : found.stream_asked;
}

std::string_view why_unreadable(BodyKind kind) {
  return kind == BodyKind::kJson ? "The body is not a JSON object."
                                 : "The body is not the form that this surface takes.";
}

}  // namespace

struct Examiner::State {
  explicit State(std::string_view scope_secret) : scope_mac(scope_secret) {}

  Sha256 sha256;
  HmacSha256 scope_mac;
  json::Canonicalizer canonicalizer;
  std::string preimage;
  std::string credentials;
  std::vector<http::Head::Field> credential_fields;
  HeadReading reading;
  // Of the body at hand.
  std::vector<FormPart> parts;
  std::vector<json::Member> members;  // of a form
  std::string text;
  Findings found;
  NestedMembers nested;
  std::string named;  // a proof's word, when its place in the preimage moved

  Result<BodyForm, BodyFault> read_form_of(std::string_view body);
  std::span<const json::Member> form_members();
  Result<json::Kind, BodyFault> append_body(BodyForm form, Surface surface, std::string_view body,
                                            const Policy& policy);
  void drop_ignored(Surface surface, const Policy& policy, Verdict& verdict);
};

Examiner::Examiner(std::string_view scope_secret) : state_(std::make_unique<State>(scope_secret)) {}
Examiner::~Examiner() = default;

Scope Examiner::scope_of(const http::Head& head) {
  ScopeMemo unused;
  return scope_of(head, unused);
}

Scope Examiner::scope_of(const http::Head& head, ScopeMemo& memo) {
  std::string& credentials = state_->credentials;
  credentials.clear();
  append_credentials(credentials, head, state_->credential_fields);
  if (credentials.empty()) return {};
  if (credentials == memo.credentials) return memo.scope;
  const Scope scope{state_->scope_mac.of(credentials)};
  if (credentials.size() <= kRememberedMax) {
    memo.credentials = credentials;
    memo.scope = scope;
  }
  return scope;
}

// A form is keyed without the boundary, which is random per call.
Result<BodyForm, BodyFault> Examiner::State::read_form_of(std::string_view body) {
  const auto is_type = [](const http::Head::Field& field) { return field.name == "content-type"; };
  const auto type = std::ranges::find_if(reading.keyed, is_type);
  if (std::ranges::count_if(reading.keyed, is_type) != 1) return BodyForm::kRaw;
  const auto boundary = form_boundary(type->value);
  if (!boundary) return BodyForm::kRaw;
  const auto read = read_form(body, *boundary, parts);
  if (!read) {
    return Failure{fault_at("The request body is not an acceptable form: ",
                            to_string(read.error().fault), read.error().offset)};
  }
  type->value = "multipart/form-data";
  return BodyForm::kForm;
}

// What the parts of a form would be as members: a short text that spells a number or a truth value
// is one.
std::span<const json::Member> Examiner::State::form_members() {
  constexpr std::size_t kSpelledMax = 32;
  members.clear();
  for (const FormPart& part : parts) {
    json::Member member{part.name, part.content, part.content, json::Kind::kString};
    text.clear();
    if (part.content.size() <= kSpelledMax) {
      const auto kind = canonicalizer.append(part.content, text);
      if (kind && *kind != json::Kind::kNull) member.kind = *kind;
    }
    if (part.name == "stream" && means_yes(part.content)) member.kind = json::Kind::kTrue;
    members.push_back(member);
  }
  return members;
}

// Appends what the body says to the preimage and reads it into `found`.
Result<json::Kind, BodyFault> Examiner::State::append_body(BodyForm form, Surface surface,
                                                           std::string_view body,
                                                           const Policy& policy) {
  if (form == BodyForm::kRaw) {
    found = {};
    preimage.append(body);
    return json::Kind::kString;
  }
  if (form == BodyForm::kForm) {
    append_form(preimage, parts);
    found = look_at(form_members(), surface, policy, nested);
    if (const FormPart* const part = repeated_part(parts); part != nullptr && !found.unknown) {
      found.unknown = &members[static_cast<std::size_t>(part - parts.data())];
    }
    return json::Kind::kObject;
  }
  const auto kind = canonicalizer.append(body, preimage);
  if (!kind) {
    return Failure{fault_at("The request body is not acceptable JSON: ",
                            json::to_string(kind.error().fault), kind.error().offset)};
  }
  found = look_at(canonicalizer.members(), surface, policy, nested);
  return *kind;
}

// Takes members that the server is known to ignore out of the canonical body at the end of the
// preimage, last first so that the places of the others hold.
void Examiner::State::drop_ignored(Surface surface, const Policy& policy, Verdict& verdict) {
  if (verdict.proof.named) verdict.proof.named = named = *verdict.proof.named;
  const auto all = canonicalizer.members();
  for (auto member = all.rbegin(); member != all.rend(); ++member) {
    if (!is_ignored(*member, surface, policy)) continue;
    std::size_t begin = static_cast<std::size_t>(member->name.data() - preimage.data()) - 1;
    std::size_t end =
        static_cast<std::size_t>(member->value.data() - preimage.data()) + member->value.size();
    if (preimage[end] == ',') {
      ++end;
    } else if (preimage[begin - 1] == ',') {
      --begin;
    }
    preimage.erase(begin, end - begin);
  }
}

Result<Contract, BodyFault> Examiner::examine(Surface surface, const http::Head& head,
                                              std::string_view body, const Scope& scope,
                                              const Policy& policy) {
  SLIP_CHECK(surface != Surface::kPassThrough);
  std::string& preimage = state_->preimage;
  if (preimage.capacity() > kPreimageKeptMax) std::string().swap(preimage);
  preimage.clear();

  const SurfaceRow& row = row_of(surface);
  const Wishes& wishes = state_->reading.wishes;
  read_head(head, policy, state_->reading);
  BodyForm form = wishes.encoded_body ? BodyForm::kRaw : BodyForm::kCanonicalJson;
  if (row.body == BodyKind::kMultipart && !wishes.encoded_body) {
    const auto read = state_->read_form_of(body);
    if (!read) return Failure{read.error()};
    form = *read;
  }
  append_prefix(preimage, head, scope, policy, state_->reading);
  const std::size_t prefix_size = preimage.size();
  const auto kind = state_->append_body(form, surface, body, policy);
  if (!kind) return Failure{kind.error()};

  Contract contract;
  contract.max_age_s = wishes.max_age_s;
  contract.explain = wishes.explain;
  const bool readable = *kind == json::Kind::kObject;
  auto verdict = verdict_of_head(head, wishes, policy);
  if (!verdict && wishes.encoded_body) {
    verdict = no(Reason::kEncodedBody, {"The body is content-encoded."});
  }
  if (!verdict && !readable) verdict = no(Reason::kNotJson, {why_unreadable(row.body)});
  const Findings& found = state_->found;
  contract.verdict = verdict ? *verdict : verdict_of_body(found, surface, wishes, policy);
  contract.sampled_only = contract.verdict.reason == Reason::kSampled ||
                          contract.verdict.reason == Reason::kSeedUnproven;
  contract.streamed = readable && is_streamed(row, found);
  if (found.model != nullptr) contract.model = plain_text(*found.model, form);
  if (found.ignored > 0) state_->drop_ignored(surface, policy, contract.verdict);
  seal_body(preimage, prefix_size, form);

  contract.canonical = preimage;
  if (form == BodyForm::kCanonicalJson) {
    contract.canonical_body = contract.canonical.substr(prefix_size);
  }
  contract.key.bytes = state_->sha256.of(preimage);
  return contract;
}

}  // namespace slipstream::contract
