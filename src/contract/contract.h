// "Are these two requests the same?": canonical form, key, verdict and proof of one request.
//
// Deny-list design: whatever would reach the upstream is in the key, unless it stands in the short
// list of fields and headers known not to matter (docs/formats/key.md).
// Pure: no clock, no I/O. An Examiner is per worker (it owns scratch memory and a hash context).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/profile.h"
#include "base/result.h"
#include "contract/surface.h"
#include "http/head.h"

namespace slipstream::contract {

struct Key {
  std::array<std::uint8_t, 32> bytes{};
  bool operator==(const Key&) const = default;
  // The first 12 hexadecimal digits: all that logs and pages ever show.
  std::string short_hex() const;
  std::string full_hex() const;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const noexcept;  // its first eight bytes: already uniform
};

// Closed set. Metric label and `reason` parameter come from to_string (snake_case, stable).
enum class Reason {
  kGreedy,         // shareable: explicit greedy decoding, every step takes the arg max
  kSeeded,         // shareable: explicit seed on a backend known to honour it
  kPure,           // shareable: no random draw is made
  kSampledShared,  // shareable: caller opted in with a group, or route policy says so
  kSampled,        // not: independent draws are the contract
  kSeedUnproven,   // not: a seed, but the backend is not known to honour it
  kSideEffect,     // not: stores, tools run by the server, conversation state ...
  kClock,          // not: the answer contains or depends on this execution's clock
  kUnknownField,   // not: a field outside the table; nothing to prove with
  kRemoteContent,  // not: the server fetches a URL while it runs
  kOptedOut,       // not: x-slipstream-coalesce: off, cache-control: no-store / no-cache
  kDisabled,       // not: route or gateway has coalescing off
  kSurface,        // not: path or method has no contract, passes through
  kEncodedBody,    // not: content-encoding on the request body
  kNotJson,  // not: body is not of the surface's form: no JSON object, no form (upstream answers)
  kHttp10,   // not: an HTTP/1.0 caller cannot read chunked framing
  kMemory,   // not: the replay logs hold all they may
};
std::string_view to_string(Reason reason);
inline constexpr int kReasonCount = static_cast<int>(Reason::kMemory) + 1;

// Why a verdict is what it is: one sentence, written down only for whoever asks. Views into
// literals and the Examiner's memory: valid until its next examine().
struct Proof {
  std::string_view start{};
  std::optional<std::string_view> named{};  // the caller's own word, shown in backquotes
  std::string_view end{};
  std::string text() const;
};

struct Verdict {
  bool shareable = false;
  Reason reason = Reason::kSurface;
  Proof proof;  // for /explain; names the deciding field where there is one
};

// What a route says about sharing. Constant after configuration.
struct Policy {
  bool coalesce = true;
  bool share_sampled = false;           // route policy `sampled: share`
  Profile profile = Profile::kGeneric;  // the kind of server that answers
  bool seed_honoured = false;           // declared: it honours explicit seeds, whatever its kind
  std::vector<std::string> harmless_fields;   // unknown top-level fields the operator vouches for
  std::vector<std::string> harmless_headers;  // in lower case: forwarded, but not in the key
  std::string route = "default";
  std::string pool = "default";
  std::string epoch;  // identity of the model artifact, empty if unknown
};

// The tenant boundary, derived from the presented credential by a keyed hash; never from anything
// else a caller controls. All requests without credential share one anonymous scope.
struct Scope {
  std::array<std::uint8_t, 32> bytes{};
  bool operator==(const Scope&) const = default;
};

// What one caller connection keeps so that its next request with the same credential costs no hash.
// Only ever compared with what the same connection presents, so it tells nobody about others.
// Belongs to one Examiner; start with an empty one per connection.
struct ScopeMemo {
  std::string credentials;  // empty: nothing remembered. Secret: never show it
  Scope scope;
};

// Why a body is refused with 400 before it reaches table or upstream.
struct BodyFault {
  std::string message;  // one sentence, with byte offset; never quotes content
};

struct Contract {
  Key key;
  Verdict verdict;
  bool streamed = false;  // the answer is to be a stream, by the surface's rule
  bool explain = false;   // the caller wants key and proof on its answer (explain_fields)
  bool sampled_only =
      false;  // not shared only because it is sampled (counted as could-have-shared)
  // The caller's `Cache-Control: max-age`: the oldest flight it may join, in seconds of flight age.
  std::optional<std::uint32_t> max_age_s;
  std::string_view model;  // view into the body given; empty if absent or escaped
  // Everything that was hashed: length-prefixed prefix and body (docs/formats/key.md). Two
  // contracts are the same exactly if these bytes are; a join compares them beside the key. Views
  // into the Examiner's memory: valid until its next examine().
  std::string_view canonical;
  std::string_view canonical_body;  // its tail, the canonical JSON; empty if content-encoded
};

class Examiner {
 public:
  // `scope_secret`: key of the credential hash, from base/random or configuration.
  explicit Examiner(std::string_view scope_secret);
  ~Examiner();
  Examiner(const Examiner&) = delete;
  Examiner& operator=(const Examiner&) = delete;

  Scope scope_of(const http::Head& head);
  // The same result; remembers the last credential of at most 1 KiB in `memo`.
  Scope scope_of(const http::Head& head, ScopeMemo& memo);

  // Precondition: surface != kPassThrough, body below 4 GiB. `body` must stay alive while the
  // Contract is used; it needs no padding.
  // Failure: the body is malformed or ambiguous (docs/formats/key.md); answer 400.
  Result<Contract, BodyFault> examine(Surface surface, const http::Head& head,
                                      std::string_view body, const Scope& scope,
                                      const Policy& policy);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// True for request header fields that are passed to the upstream (hop-by-hop, accept-encoding,
// x-slipstream-*, host, content-length, expect and x-request-id are not: the gateway writes its
// own).
bool is_forwarded(std::string_view lower_name);
// The same, and false for fields that this head's Connection field names (RFC 9110 section 7.6.1).
bool is_forwarded(const http::Head& head, std::string_view lower_name);
// True if a Connection field of the head names the field.
bool named_in_connection(const http::Head& head, std::string_view lower_name);

// Calls visit(field) for each field that is_forwarded, in order, with one look at Connection.
template <typename Visit>
void for_each_forwarded(const http::Head& head, Visit&& visit) {
  const bool connection = head.has("connection");
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    const http::Head::Field field = head.field(i);
    if (!is_forwarded(field.name)) continue;
    if (connection && named_in_connection(head, field.name)) continue;
    visit(field);
  }
}

}  // namespace slipstream::contract
