// /flights: what is in flight now, as JSON for people and scripts.
#pragma once

#include <string>

#include "gateway/shared.h"

namespace slipstream::gateway {

// {"flights":[{"key","flight","state","reason","age_ms","subscribers","bytes","home"}...],"flights_total":N,"alone":N,
//  "epoch":"..."}
// The flights that can be joined, oldest first; keys truncated; `alone` counts unshared ones. Any
// thread. At most kFlightsShownMax are listed, "flights_total" says how many there are.
inline constexpr std::size_t kFlightsShownMax = 1000;
std::string flights_page(const Shared& shared, std::uint64_t live_flights);

}  // namespace slipstream::gateway
