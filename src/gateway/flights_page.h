// /flights: what is in flight now, and what sampling kept apart, as JSON for people and scripts.
#pragma once

#include <string>

#include "gateway/shared.h"

namespace slipstream::gateway {

// {"flights":[{"key","flight","state","reason","age_ms","subscribers","bytes","home"}...],"flights_total":N,"alone":N,
//  "epoch":"...","sampled":{"calls":N,"would_have_saved":N,"keys":[{"key","saved"}...]}}
// The flights that can be joined, oldest first; keys truncated; `alone` counts unshared ones. Any
// thread. At most kFlightsShownMax are listed, "flights_total" says how many there are.
// "sampled", since the start: requests that ran alone only because they are sampled, how many of
// these calls sharing would have saved, and for which keys most (a lower bound for each).
inline constexpr std::size_t kFlightsShownMax = 1000;
inline constexpr std::size_t kSampledKeysShownMax = 10;
std::string flights_page(const Shared& shared, std::uint64_t live_flights);

}  // namespace slipstream::gateway
