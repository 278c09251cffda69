#include "contract/content.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "json/reader.h"
#include "json/scan.h"

namespace slipstream::contract {
namespace {

// Members whose strings are read as text by every server, also when they look like a URL.
constexpr auto kTextNames =
    std::to_array<std::string_view>({"content", "text", "refusal", "reasoning", "reasoning_content",
                                     "arguments", "name", "role", "type", "id", "tool_call_id"});

bool starts_with_scheme(std::string_view text, std::string_view scheme) {
  return iequals(text.substr(0, scheme.size()), scheme);
}

bool is_remote(std::string_view name, std::string_view text) {
  if (name.size() >= 3 && iequals(name.substr(name.size() - 3), "url")) {
    return !starts_with_scheme(text, "data:");
  }
  if (std::ranges::find(kTextNames, name) != kTextNames.end()) return false;
  return starts_with_scheme(text, "http:") || starts_with_scheme(text, "https:") ||
         starts_with_scheme(text, "file:");
}

}  // namespace

// One flat pass over the string tokens: in canonical JSON a name is a string with ':' right behind
// it, and a string in an array belongs to the last name seen.
std::optional<std::string_view> remote_reference(std::string_view messages) {
  const char* p = messages.data();
  const char* const end = p + messages.size();
  std::string_view name;
  while (p < end) {
    if (*p != '"') {
      ++p;
      continue;
    }
    const char* const behind = json::skip_string(p, end);
    if (behind == nullptr) return std::nullopt;
    const std::string_view text(p + 1, static_cast<std::size_t>(behind - p) - 2);
    p = behind;
    if (p < end && *p == ':') {
      name = text;
    } else if (is_remote(name, text)) {
      return name;
    }
  }
  return std::nullopt;
}

std::string_view server_run_tool(std::string_view tools) {
  for (json::Elements elements(tools); elements.next();) {
    const std::string_view type = json::find(elements.value(), "type");
    if (type.empty()) return "none";
    if (type != "\"function\"" && type != "\"custom\"") return type;
  }
  return {};
}

}  // namespace slipstream::contract
