// What stands inside messages and tools that the field table cannot tell: content that the server
// would fetch, and tools that the server would run.
// Pure. Input is canonical JSON (json/canonical.h).
#pragma once

#include <optional>
#include <string_view>

namespace slipstream::contract {

// The name of the first member of `messages` that makes the server fetch something while it runs;
// nothing if there is none. Under a name ending in "url" only data: is harmless; under any name but
// the ones that hold plain text, so are http:, https: and file: refused.
std::optional<std::string_view> remote_reference(std::string_view messages);

// The type of the first tool that does not run at the caller ("function" and "custom" do), raw;
// "none" for a tool without a type. Empty if all run at the caller.
std::string_view server_run_tool(std::string_view tools);

}  // namespace slipstream::contract
