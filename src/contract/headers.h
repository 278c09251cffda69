// What request header fields mean to the contract: which are forwarded, which are keyed, what the
// caller asks of the gateway itself.
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/contract.h"
#include "http/head.h"

namespace slipstream::contract {

enum class HeaderRole {
  kDropped,      // not forwarded: the gateway writes its own or takes it for itself
  kCredential,   // forwarded, and part of the scope
  kIndifferent,  // forwarded, known not to matter: the deny-list of the key
  kHop,          // forwarded, about the way here: keyed unless the server is known to only log it
  kKeyed,        // forwarded, and part of the key: every other field
};
HeaderRole role_of(std::string_view lower_name);
bool is_credential(std::string_view lower_name);
// Whether a field that is sent is part of the key on a route with this policy.
bool is_keyed(std::string_view lower_name, const Policy& policy);

// The caller's words to the gateway.
struct Wishes {
  // Why the request must run alone, a sentence for the proof; empty if it need not.
  std::string_view alone;
  // x-slipstream-coalesce: share; group="g". Empty without opt-in.
  std::string group;
  std::optional<std::uint32_t> max_age_s;  // smallest Cache-Control: max-age
  bool encoded_body = false;               // a Content-Encoding other than identity
  bool explain = false;                    // x-slipstream-explain: 1
  bool server_session = false;             // X-Conversation-Id: llama.cpp keeps a session by it
};

// The fields with a role of their own, by name, for the reference page; the rest is kKeyed or goes
// by its prefix.
struct HeaderName {
  std::string_view name;
  HeaderRole role;
};
std::vector<HeaderName> listed_headers();

// One head, every field looked up once.
struct HeadReading {
  Wishes wishes;
  // Views into the head, in its order.
  std::vector<http::Head::Field> keyed;  // HeaderRole::kKeyed
  std::vector<http::Head::Field> vary;   // x-slipstream-vary
  bool coalesce_seen = false;            // an x-slipstream-coalesce was read
};
// Replaces what `reading` held; `policy` names fields that are harmless. Allocates nothing once its
// lists are large enough. An x-slipstream-coalesce that cannot be read counts as opting out:
// narrowing is always safe.
void read_head(const http::Head& head, const Policy& policy, HeadReading& reading);

}  // namespace slipstream::contract
