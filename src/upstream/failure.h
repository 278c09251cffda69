// The failure table: the single source for retry, answers and metrics.
//
// Every way an attempt can end badly is one class; the table says what it means. Before the commit
// point only; after it nothing is retried.
#pragma once

#include <array>
#include <string_view>

#include "net/stream.h"

namespace slipstream::upstream {

enum class FailureClass {
  kResolve,            // name resolution
  kConnect,            // refused, unreachable
  kTls,                // handshake
  kConnectTimeout,     // connect + TLS took too long
  kStale,              // a reused connection was closed before the first response byte
  kRateLimited,        // 429
  kUnavailable,        // 502, 503, 504, 529
  kServerError,        // 500 and other 5xx
  kInBandError,        // an error event or error object inside a 200 answer
  kMalformed,          // not HTTP, not what the surface promises
  kCut,                // the connection broke before the answer was complete
  kWriteTimeout,       // the request could not be sent in time
  kFirstEventTimeout,  // nothing semantic within the limit
  kIdleTimeout,        // silence between events
  kTooOld,             // the flight reached its age limit
  kRejected,           // 501 and every other 4xx: the caller decides whether to ask again
  kOverload,           // our own bound: no connection free
};
inline constexpr std::array<std::string_view, 17> kFailureClassNames = {"resolve",
                                                                        "connect",
                                                                        "tls",
                                                                        "connect_timeout",
                                                                        "stale",
                                                                        "rate_limited",
                                                                        "unavailable",
                                                                        "server_error",
                                                                        "in_band",
                                                                        "malformed",
                                                                        "cut",
                                                                        "write_timeout",
                                                                        "first_event_timeout",
                                                                        "idle_timeout",
                                                                        "too_old",
                                                                        "rejected",
                                                                        "overload"};

struct FailureRule {
  enum class Retry { kNever, kOnce };
  enum class Budget { kFree, kCharged };
  Retry retry;
  Budget budget;
  bool transient;            // callers may try again later
  int status;                // what callers are told when the upstream gave no answer of its own
  std::string_view message;  // one sentence for the caller
};
const FailureRule& rule_of(FailureClass failure);
std::string_view to_string(FailureClass failure);

FailureClass classify(net::ConnectError error);
// Precondition: status >= 400.
FailureClass classify_status(int status);

}  // namespace slipstream::upstream
