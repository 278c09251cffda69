#include "base/check.h"
#include "base/digest.h"
#include "base/text.h"
#include "contract/contract.h"
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

BodyFault fault_of(const json::Error& error) {
  std::string message = "The request body is not acceptable JSON: ";
  message += json::to_string(error.fault);
  message += " at byte ";
  append_decimal(message, error.offset);
  message += '.';
  return {std::move(message)};
}

// The text of a raw string that needs no decoding, else empty.
std::string_view plain_text(const json::Member& member) {
  const std::string_view raw = member.raw;
  if (member.kind != json::Kind::kString || raw.find('\\') != std::string_view::npos) return {};
  return raw.substr(1, raw.size() - 2);
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

Result<Contract, BodyFault> Examiner::examine(Surface surface, const http::Head& head,
                                              std::string_view body, const Scope& scope,
                                              const Policy& policy) {
  SLIP_CHECK(surface != Surface::kPassThrough);
  std::string& preimage = state_->preimage;
  if (preimage.capacity() > kPreimageKeptMax) std::string().swap(preimage);
  preimage.clear();

  read_head(head, state_->reading);
  const Wishes& wishes = state_->reading.wishes;
  append_prefix(preimage, head, scope, policy, state_->reading);
  const std::size_t prefix_size = preimage.size();

  Contract contract;
  contract.max_age_s = wishes.max_age_s;
  contract.explain = wishes.explain;
  auto verdict = verdict_of_head(head, wishes, policy);
  BodyForm form = BodyForm::kCanonicalJson;
  if (wishes.encoded_body) {
    form = BodyForm::kRaw;
    preimage.append(body);
    if (!verdict) verdict = no(Reason::kEncodedBody, {"The body is content-encoded."});
  } else {
    const auto kind = state_->canonicalizer.append(body, preimage);
    if (!kind) return Failure{fault_of(kind.error())};
    if (*kind != json::Kind::kObject && !verdict) {
      verdict = no(Reason::kNotJson, {"The body is not a JSON object."});
    }
    const auto members = state_->canonicalizer.members();
    for (const json::Member& member : members) {
      if (member.name == "model") contract.model = plain_text(member);
      if (member.name == "stream") contract.streamed = member.kind == json::Kind::kTrue;
    }
    if (!verdict) verdict = verdict_of_chat(members, wishes, policy);
  }
  seal_body(preimage, prefix_size, form);

  contract.verdict = *verdict;
  contract.sampled_only = contract.verdict.reason == Reason::kSampled ||
                          contract.verdict.reason == Reason::kSeedUnproven;
  contract.canonical = preimage;
  if (form == BodyForm::kCanonicalJson) {
    contract.canonical_body = contract.canonical.substr(prefix_size);
  }
  contract.key.bytes = state_->sha256.of(preimage);
  return contract;
}

}  // namespace slipstream::contract
