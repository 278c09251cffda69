#include "upstream/failure.h"

namespace slipstream::upstream {

namespace {

using Retry = FailureRule::Retry;
using Budget = FailureRule::Budget;

// In the order of FailureClass.
constexpr std::array<FailureRule, kFailureClassNames.size()> kRules = {{
    {Retry::kOnce, Budget::kFree, true, 502, "The upstream's name could not be resolved."},
    {Retry::kOnce, Budget::kFree, true, 502, "The upstream could not be reached."},
    {Retry::kOnce, Budget::kFree, true, 502, "The TLS handshake with the upstream failed."},
    {Retry::kOnce, Budget::kFree, true, 504, "The upstream did not accept a connection in time."},
    {Retry::kOnce, Budget::kFree, true, 502, "The upstream closed a kept connection."},
    {Retry::kOnce, Budget::kCharged, true, 429, "The upstream is limiting its rate."},
    {Retry::kOnce, Budget::kCharged, true, 503, "The upstream is not available."},
    {Retry::kOnce, Budget::kCharged, true, 502, "The upstream failed."},
    {Retry::kOnce, Budget::kCharged, true, 502,
     "The upstream reported an error instead of an answer."},
    {Retry::kOnce, Budget::kCharged, true, 502, "The upstream's answer was malformed."},
    {Retry::kOnce, Budget::kCharged, true, 502,
     "The upstream closed the connection before its answer was complete."},
    {Retry::kOnce, Budget::kCharged, true, 504, "The upstream did not take the request in time."},
    {Retry::kOnce, Budget::kCharged, true, 504, "The upstream sent no token in time."},
    {Retry::kOnce, Budget::kCharged, true, 504, "The upstream fell silent."},
    {Retry::kNever, Budget::kFree, true, 504,
     "The generation took longer than the gateway allows."},
    {Retry::kNever, Budget::kFree, false, 502, "The upstream rejected the request."},
    {Retry::kNever, Budget::kFree, true, 503, "The gateway has no free upstream connection."},
}};

}  // namespace

const FailureRule& rule_of(FailureClass failure) {
  return kRules[static_cast<std::size_t>(failure)];
}

std::string_view to_string(FailureClass failure) {
  return kFailureClassNames[static_cast<std::size_t>(failure)];
}

FailureClass classify(net::ConnectError error) {
  switch (error) {
    case net::ConnectError::kResolve:
      return FailureClass::kResolve;
    case net::ConnectError::kTimeout:
      return FailureClass::kConnectTimeout;
    case net::ConnectError::kTls:
      return FailureClass::kTls;
    case net::ConnectError::kNone:
    case net::ConnectError::kRefused:
    case net::ConnectError::kUnreachable:
      return FailureClass::kConnect;
  }
  return FailureClass::kConnect;
}

FailureClass classify_status(int status) {
  switch (status) {
    case 429:
      return FailureClass::kRateLimited;
    case 502:
    case 503:
    case 504:
    case 529:
      return FailureClass::kUnavailable;
    default:
      return status >= 500 && status != 501 ? FailureClass::kServerError : FailureClass::kRejected;
  }
}

}  // namespace slipstream::upstream
