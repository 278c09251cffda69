#include "contract/content.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "json/reader.h"
#include "json/scan.h"

namespace slipstream::contract {
namespace {

// Members whose strings are read as text by every server, also when they look like a URL.
constexpr auto kTextNames = std::to_array<std::string_view>(
    {"content", "text", "refusal", "reasoning", "reasoning_content", "arguments", "name", "role",
     "type", "id", "tool_call_id", "input", "output"});

bool starts_with(std::string_view text, std::string_view scheme) {
  return iequals(text.substr(0, scheme.size()), scheme);
}

bool ends_with(std::string_view text, std::string_view tail) {
  if (text.size() < tail.size()) return false;
  const char* const from = text.data() + (text.size() - tail.size());
  std::size_t i = tail.size();  // backwards, because the last byte is what mostly differs
  while (i > 0 && ascii_lower(from[i - 1]) == tail[i - 1]) --i;
  return i == 0;
}

bool is_remote(std::string_view name, std::string_view text) {
  if (ends_with(name, "url")) return !starts_with(text, "data:");
  if (!starts_with(text, "http:") && !starts_with(text, "https:") && !starts_with(text, "file:")) {
    return false;
  }
  return std::ranges::find(kTextNames, name) == kTextNames.end();
}

// What stands right before the colon of a remote reference: the end of a name in "url", or a scheme
// at the start of a string.
bool leads_to_remote(std::string_view before) {
  if (before.ends_with('"')) return ends_with(before, "url\"");
  return ends_with(before, "\"http") || ends_with(before, "\"https") || ends_with(before, "\"file");
}

// False only if no string of `json` is remote. Looks at the colons alone: most text has few.
bool may_be_remote(std::string_view json) {
  std::size_t at = json.find(':');
  while (at != std::string_view::npos && !leads_to_remote(json.substr(0, at))) {
    at = json.find(':', at + 1);
  }
  return at != std::string_view::npos;
}

// `type`: raw, with its quotes; empty if the tool has none.
bool runs_at_caller(Surface surface, std::string_view type) {
  if (row_of(surface).dialect == Dialect::kAnthropic) {
    // What the API defines carries a date: "bash_20250124".
    constexpr std::string_view kDated[] = {"\"bash_", "\"text_editor_", "\"computer_", "\"memory_"};
    return type.empty() || type == R"("custom")" || type == "null" ||
           std::ranges::any_of(kDated, [&](auto name) { return type.starts_with(name); });
  }
  if (surface == Surface::kResponses &&
      (type == R"("local_shell")" || type == R"("apply_patch")")) {
    return true;
  }
  return type == R"("function")" || type == R"("custom")";
}

}  // namespace

// One flat pass over the string tokens: in canonical JSON a name is a string with ':' right behind
// it, and a string in an array belongs to the last name seen.
std::optional<std::string_view> remote_reference(std::string_view content) {
  if (!may_be_remote(content)) return std::nullopt;
  const char* p = content.data();
  const char* const end = p + content.size();
  std::string_view name = "text";
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

std::string_view server_run_tool(Surface surface, std::string_view tools) {
  for (json::Elements elements(tools); elements.next();) {
    const std::string_view type = json::find(elements.value(), "type");
    if (!runs_at_caller(surface, type)) return type.empty() ? "none" : type;
  }
  return {};
}

bool refers_to_stored_item(std::string_view input) {
  for (json::Elements items(input); items.next();) {
    const std::string_view type = json::find(items.value(), "type");
    if (type == R"("item_reference")") return true;
    if (type.empty() && json::find(items.value(), "role").empty()) return true;
  }
  return false;
}

}  // namespace slipstream::contract
