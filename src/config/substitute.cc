#include "config/substitute.h"

#include "base/text.h"

namespace slipstream::config {
namespace {

bool is_variable_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    const char lower = ascii_lower(c);
    if (!((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return true;
}

}  // namespace

// Result<std::string, std::string> holds both by index, so the types may be the same.
Result<std::string, std::string> substitute(std::string_view text, const Environment& environment) {
  std::string out;
  while (!text.empty()) {
    const std::size_t dollar = text.find("${");
    if (dollar == text.npos) return out += text;
    if (dollar > 0 && text[dollar - 1] == '$') {
      out.append(text.substr(0, dollar - 1)).append("${");
      text.remove_prefix(dollar + 2);
      continue;
    }
    const std::size_t end = text.find('}', dollar);
    const std::string_view name =
        end == text.npos ? std::string_view() : text.substr(dollar + 2, end - dollar - 2);
    if (!is_variable_name(name)) {
      return Failure{
          std::string("${ must be followed by a variable's name and }; a literal ${ is "
                      "written $${")};
    }
    const auto value = environment ? environment(name) : std::nullopt;
    if (!value) return Failure{"the environment variable " + std::string(name) + " is not set"};
    out.append(text.substr(0, dollar)).append(*value);
    text.remove_prefix(end + 1);
  }
  return out;
}

Result<std::vector<std::string>, std::string> substitute_all(const std::vector<std::string>& texts,
                                                             const Environment& environment) {
  std::vector<std::string> out;
  for (const std::string& text : texts) {
    auto substituted = substitute(text, environment);
    if (!substituted) return Failure{substituted.error()};
    out.push_back(*std::move(substituted));
  }
  return out;
}

}  // namespace slipstream::config
