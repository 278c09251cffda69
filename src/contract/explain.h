// The answer to "why did these two (not) share?": one contract as JSON for humans.
//
// Holds the prompt (canonical body), so it is an answer to the operator who sent it, never a log
// line. Credentials are not shown: the scope stands only inside the key. Pure; any thread.
#pragma once

#include <string>

#include "contract/contract.h"

namespace slipstream::contract {

// An object with surface, method, path, key, shareable, reason, proof, sampled_only, streamed,
// model, max_age_s, keyed_headers (names) and canonical (the canonical body as JSON, or null if it
// was content-encoded), ended by a line feed. Precondition: `contract` is from examine() of `head`,
// and its views are still valid.
std::string explain_json(const Contract& contract, const http::Head& head);

}  // namespace slipstream::contract
