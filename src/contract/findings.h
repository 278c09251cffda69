// What the members of one request say that the sharing rules ask about: one pass over them against
// the surface's field table.
// Pure; any thread.
#pragma once

#include <array>
#include <span>

#include "contract/contract.h"
#include "contract/fields.h"
#include "json/canonical.h"

namespace slipstream::contract {

// The first member that decides each question; nullptr if none does. Pointers into the members
// given, or into the nested ones.
struct Findings {
  const json::Member* effect = nullptr;
  const json::Member* clock = nullptr;
  const json::Member* unknown = nullptr;
  const json::Member* overrides_greedy = nullptr;
  const json::Member* opaque = nullptr;
  const json::Member* model = nullptr;
  const json::Member* temperature = nullptr;
  const json::Member* top_k = nullptr;
  const json::Member* seed = nullptr;
  const json::Member* prompt = nullptr;
  const json::Member* tools = nullptr;
  const json::Member* outputs = nullptr;     // `modalities` beyond ["text"]
  const json::Member* keep_alive = nullptr;  // only one that unloads the model
  std::array<const json::Member*, 3> contents{};
  bool stream_asked = false;     // true
  bool stream_declined = false;  // false
  bool store_declined = false;
  int ignored = 0;  // members that this server is known to ignore
};

// Members of nested objects that were noted, which no list of members holds.
struct NestedMembers {
  std::array<json::Member, 4> all;
  std::size_t count = 0;
};

// `members`: the canonical top-level members of a body, or the parts of a form. Replaces
// `nested`, which must stay where it is while the findings are used.
Findings look_at(std::span<const json::Member> members, Surface surface, const Policy& policy,
                 NestedMembers& nested);

// The members that `policy.profile` is known to ignore are not in the key: true for those.
bool is_ignored(const json::Member& member, Surface surface, const Policy& policy);

}  // namespace slipstream::contract
