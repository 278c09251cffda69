// Heads, as pure functions: what goes to the upstream, what each caller gets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "contract/contract.h"
#include "flight/flight.h"
#include "http/head.h"

namespace slipstream::gateway {

// How the gateway frames the request body towards the upstream.
enum class Upload { kNone, kLength, kChunked };

struct UpstreamRequest {
  std::string_view host;         // Host field
  std::string_view path_prefix;  // before the caller's target; may be empty
  std::string_view request_id;   // the flight's own
  Upload upload = Upload::kNone;
  std::uint64_t content_length = 0;  // with kLength
  std::string_view credential{};     // instead of all of the caller's; empty: the caller's pass
  std::string_view scope_header{};   // for the gateway alone; not passed on
};
// The request head for the upstream, rebuilt from the parsed one: never the caller's framing,
// hop-by-hop fields or names in Connection (RFC 9110 section 7.6.1).
void append_upstream_head(std::string& out, const http::Head& from, const UpstreamRequest& with);

// Splits an upstream answer's fields into those all subscribers may see and those of the leader's
// own call (cookies, rate limits, timings, ids). Framing is left to the caller of this function.
// The form is what callers of the surface read: lines where it streams lines, else events.
flight::AnswerHead answer_head(const http::Head& from, contract::Surface surface);

enum class Role { kLeader, kFollower, kSolo };
std::string_view to_string(Role role);

struct CallerHead {
  Role role = Role::kSolo;
  contract::Reason reason = contract::Reason::kSurface;
  std::string_view flight_id{};  // empty: no flight (the gateway answered by itself)
  std::string_view request_id{};
  // For answers whose upstream sent none (RFC 9110 section 6.6.1); empty = none is added.
  std::string_view date{};
  std::uint64_t retry_after_ms = 0;  // already jittered; 0 = not sent
  std::string_view explanation{};    // contract::explain_fields, where the caller asked
  enum class Connection { kKeepAlive, kClose } connection = Connection::kKeepAlive;
};
// One caller's response head for a flight's answer, through the empty line.
void append_caller_head(std::string& out, const flight::AnswerHead& answer,
                        const CallerHead& caller);

}  // namespace slipstream::gateway
