// What keeps two requests apart, in words: the first difference of their preimages.
//
// Reads the preimages themselves (docs/formats/key.md): whatever is keyed is compared, nothing
// else. Values of the body may be quoted, so it is for whoever sent the requests, never for a log;
// values of header fields and credentials are not shown. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace slipstream::contract {

// "`temperature` is 0 in A and absent in B", without a full stop; empty if they are the same.
// Precondition: both are Contract::canonical.
std::string first_difference(std::string_view a, std::string_view b);

// The same for two canonical bodies.
std::string first_body_difference(std::string_view a, std::string_view b);

}  // namespace slipstream::contract
