#include "config/message.h"

#include "config/value.h"

namespace slipstream::config {

std::string shown(const std::vector<std::string>& items) {
  std::string out = "`";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ", ";
    for (const char c : item.substr(0, 80)) out += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return out + "`";
}

ConfigError fault_at(ConfigFault kind, const std::string& place, const std::string& message) {
  return {.fault = kind, .message = place + ": " + message};
}

ConfigError bad_value(const Option& option, std::string_view name, const std::string& place,
                      std::string written) {
  if (is_secret(option.type)) written = "the value given";
  return fault_at(
      ConfigFault::kBadValue, place,
      "`" + std::string(name) + "` must be " + accepted_form(option) + "; " + written + " is not");
}

ConfigError unknown_option(const std::string& place, const std::string& name,
                           std::string_view near) {
  std::string message = "unknown option " + shown({name});
  if (!near.empty()) message += "; did you mean `" + std::string(near) + "`?";
  return fault_at(ConfigFault::kUnknownOption, place, message);
}

}  // namespace slipstream::config
