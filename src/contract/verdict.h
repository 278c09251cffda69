// May this request share, and why: the sharing rules of docs/formats/key.md as one ordered list.
//
// Any doubt is a no. These are the rules for a server nothing more is known about; what a profile
// knows arrives through Policy.
// Pure functions; any thread.
#pragma once

#include <span>

#include "contract/contract.h"
#include "contract/headers.h"
#include "json/canonical.h"

namespace slipstream::contract {

// A proof's parts live as long as `members`, `wishes` or for ever.
inline Verdict no(Reason reason, Proof proof) {
  return {false, reason, proof};
}
inline Verdict yes(Reason reason, Proof proof) {
  return {true, reason, proof};
}

// Reasons that stand before the body is read; nothing if the body decides.
std::optional<Verdict> verdict_of_head(const http::Head& head, const Wishes& wishes,
                                       const Policy& policy);

// `members`: the canonical top-level members of a chat completion body.
Verdict verdict_of_chat(std::span<const json::Member> members, const Wishes& wishes,
                        const Policy& policy);

}  // namespace slipstream::contract
