// The answer to "why did these two (not) share?", for humans and scripts.
//
// An Explanation holds the prompt (canonical body), so it is an answer to whoever sent it, never a
// log line. Credentials are not shown: the scope stands only inside the key.
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/contract.h"

namespace slipstream::contract {

// One request's contract, kept for longer than the Examiner's memory.
struct Explanation {
  std::string surface;
  std::string method;
  std::string path;
  std::string key;  // whole, hexadecimal; empty if the path has no contract
  bool shareable = false;
  std::string reason;
  std::string proof;
  bool sampled_only = false;
  bool streamed = false;
  std::string model;
  std::optional<std::uint32_t> max_age_s;
  std::vector<std::string> keyed_headers;  // names
  std::string preimage;
  std::string canonical_body;  // empty if it is not JSON
};
// Precondition: `contract` is from examine() of `head`, and its views are still valid.
Explanation explain(const http::Head& head, const Contract& contract);
// For a path without contract.
Explanation explain_pass_through(const http::Head& head);

struct Comparison {
  bool share = false;
  // One sentence: the first difference, or why equal requests share or do not.
  std::string why;
};
// Would `b` join the flight of `a`? Precondition: examined in one scope, by one policy.
Comparison compare(const Explanation& a, const Explanation& b);

// Each ends with a line feed. JSON of one: an object with surface, method, path, key (or null),
// shareable, reason, proof, sampled_only, streamed, model, max_age_s, keyed_headers and canonical
// (the canonical body, or null). JSON of two: share, why, a, b.
std::string explain_json(const Explanation& one);
std::string compare_json(const Explanation& a, const Explanation& b);
std::string explain_text(const Explanation& one);

// x-slipstream-key and x-slipstream-proof, for the head of an answer whose caller asked: field
// names and sentences of ours, printable ASCII, a proof of at most 256 bytes.
std::string explain_fields(const Key& key, const Proof& proof);

}  // namespace slipstream::contract
