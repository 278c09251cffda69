// May this request share, and why: the sharing rules of docs/formats/key.md as one ordered list.
//
// Any doubt is a no. The rules are the same for every surface; what a field does on it stands in
// fields.h, what a server does with it in servers.h.
// Pure functions; any thread.
#pragma once

#include "contract/contract.h"
#include "contract/findings.h"
#include "contract/headers.h"

namespace slipstream::contract {

// A proof's parts live as long as what was looked at, `wishes` or for ever.
inline Verdict no(Reason reason, Proof proof) {
  return {false, reason, proof};
}
inline Verdict yes(Reason reason, Proof proof) {
  return {true, reason, proof};
}

// Reasons that stand before the body is read; nothing if the body decides.
std::optional<Verdict> verdict_of_head(const http::Head& head, const Wishes& wishes,
                                       const Policy& policy);

// By the body: `found` is what look_at() saw of it. A proof may name a member of what was looked
// at.
Verdict verdict_of_body(const Findings& found, Surface surface, const Wishes& wishes,
                        const Policy& policy);

}  // namespace slipstream::contract
