// Who answers: what was observed of a server, what the operator declared, what stays unknown; and
// the epoch that follows from it. Pure; any thread.
//
// Two requests share only inside one epoch. An epoch says "nothing that can be seen has changed":
// inside one replica that is enough, because leader and follower reach the same process. Between
// replicas it is not: there the artifact must be proven, or the operator answers for it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/profile.h"
#include "identity/facts.h"

namespace slipstream::identity {

// What the operator says of what cannot be seen. Empty: nothing.
struct Declared {
  std::string artifact_digest{};
  std::string command{};
  std::string label{};  // option `epoch`
};

struct Identity {
  Profile profile = Profile::kGeneric;
  std::vector<Fact> facts;  // sorted, each once
};

// Sorts the observed facts and adds the declared ones.
Identity make_identity(Profile profile, std::vector<Fact> observed, const Declared& declared);

// What says which weights answer, weakest first. Closed set.
enum class Proof {
  kUnknown,   // nothing but a name
  kClaimed,   // a path, a size, a version: the same words may stand for other bytes tomorrow
  kDeclared,  // the operator answers for it
  kProven     // a hash or an immutable revision, told by the server
};
inline constexpr std::array<std::string_view, 4> kProofNames = {"unknown", "claimed", "declared",
                                                                "proven"};
constexpr std::string_view to_string(Proof proof) {
  return kProofNames[static_cast<std::size_t>(proof)];
}
// Of one model; without a name of the weakest that the server lists.
Proof proof_of(const Identity& identity, std::string_view model = {});

// What matters and is neither observed nor declared nor covered by a digest.
std::vector<FactName> unknown_of(const Identity& identity);

// True unless every template was seen and none prints the date. Then a day is an epoch of its own:
// the prompt that is rendered after midnight is another one.
bool depends_on_date(const Identity& identity);

// "2026-03-01", and the time that is left of that day.
std::string utc_date(WallTime at);
Duration until_next_utc_date(WallTime at);

// 16 hexadecimal digits over the sorted facts, and the date if it matters. Equal facts give equal
// epochs in every process; sources do not count.
std::string epoch_of(const Identity& identity, std::string_view utc_date);

// What it means for sharing, one sentence or two each.
struct Meaning {
  std::string inside_one_replica;
  std::string across_replicas;
};
Meaning meaning_of(const Identity& identity, std::string_view model = {});

}  // namespace slipstream::identity
