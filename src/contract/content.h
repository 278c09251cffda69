// What stands inside messages and tools that the field table cannot tell: content that the server
// would fetch, and tools that the server would run.
// Pure. Input is canonical JSON (json/canonical.h).
#pragma once

#include <optional>
#include <string_view>

#include "contract/surface.h"

namespace slipstream::contract {

// The name of the first member of `content` (messages, input, documents) that makes the server
// fetch something while it runs; nothing if there is none. Under a name ending in "url" only data:
// is harmless; under any name but the ones that hold plain text, so are http:, https: and file:
// refused. Strings that stand in `content` itself are text.
std::optional<std::string_view> remote_reference(std::string_view content);

// The type of the first tool that does not run at the caller by the surface's API, raw; "none" for
// a tool without a type where that says nothing. Empty if all run at the caller.
std::string_view server_run_tool(Surface surface, std::string_view tools);

// True if an item of a Responses `input` is not given but named: the server keeps it.
bool refers_to_stored_item(std::string_view input);

}  // namespace slipstream::contract
