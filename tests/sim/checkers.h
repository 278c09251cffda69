// What must hold for every world, whatever happened in it. Each finding is one sentence.
#pragma once

#include <string>
#include <vector>

#include "sim/simulation.h"

namespace slipstream::sim {

std::vector<std::string> check(const Outcome& outcome);

// The parts of check(), each adding its findings.
using Findings = std::vector<std::string>;
// No caller was told a lie: its answer is one call's script, whole or an honest prefix.
void check_replies(const Outcome& outcome, Findings& findings);
// Who shared with whom, and that everything ended once and in time, by the gateway's own log.
void check_log(const Outcome& outcome, Findings& findings);
// The counters agree with the log and with each other.
void check_counts(const Outcome& outcome, Findings& findings);
// At rest nothing is held and nobody waits.
void check_rest(const Outcome& outcome, Findings& findings);

}  // namespace slipstream::sim
