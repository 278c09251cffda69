// Which requests through the gateway change the model behind it. Pure; any thread.
//
// Errs towards yes: a false alarm costs the joins across one moment, a miss could hand an answer of
// the old model to a caller of the new one. What only empties a cache is not in it.
#pragma once

#include <string_view>

#include "base/profile.h"

namespace slipstream::identity {

// `path`: without query, whatever prefix stands before the server's own path. An unknown server
// (kGeneric) is taken for all of them.
bool changes_model(Profile profile, std::string_view method, std::string_view path);

}  // namespace slipstream::identity
