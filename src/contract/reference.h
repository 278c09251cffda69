// The page that says, from the tables themselves, what is shared and why: docs/contract.md.
#pragma once

#include <string>

namespace slipstream::contract {

std::string reference_markdown();

}  // namespace slipstream::contract
