#include "lab/script.h"

#include <array>
#include <optional>
#include <variant>

#include "base/text.h"
#include "config/scalar.h"

namespace slipstream::lab {

namespace {

constexpr int kCountMax = 10'000'000;

using Target = std::variant<Duration StubScript::*, int StubScript::*, CutAs StubScript::*>;

struct Setting {
  std::string_view name;
  Target target;
};

constexpr std::array kSettings = {
    Setting{"first", &StubScript::first},
    Setting{"interval", &StubScript::interval},
    Setting{"tokens", &StubScript::tokens},
    Setting{"bytes", &StubScript::token_bytes},
    Setting{"load", &StubScript::load},
    Setting{"comments", &StubScript::comments},
    Setting{"error", &StubScript::error},
    Setting{"error_calls", &StubScript::error_calls},
    Setting{"retry_after", &StubScript::retry_after},
    Setting{"cut", &StubScript::cut},
    Setting{"cut_as", &StubScript::cut_as},
    Setting{"error_event", &StubScript::error_event},
    Setting{"silence_after", &StubScript::silence_after},
};

bool assign(StubScript& script, Duration StubScript::* member, std::string_view value) {
  const auto duration = config::parse_duration(value);
  if (duration) script.*member = *duration;
  return duration.has_value();
}

bool assign(StubScript& script, int StubScript::* member, std::string_view value) {
  if (member == &StubScript::silence_after && value == "head") {
    script.silence_after = StubScript::kAtHead;
    return true;
  }
  const auto count = parse_decimal(value);
  if (!count || *count > kCountMax) return false;
  if (member == &StubScript::error && (*count < 400 || *count > 599)) return false;
  script.*member = static_cast<int>(*count);
  return true;
}

bool assign(StubScript& script, CutAs StubScript::* member, std::string_view value) {
  if (value == "fin") {
    script.*member = CutAs::kFin;
  } else if (value == "reset") {
    script.*member = CutAs::kReset;
  } else if (value == "end") {
    script.*member = CutAs::kEnd;
  } else {
    return false;
  }
  return true;
}

ScriptError unknown(std::string_view name) {
  std::array<std::string_view, kSettings.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kSettings[i].name;
  std::string message = "unknown stub setting '" + std::string(name) + "'";
  const std::string_view near = nearest(name, names);
  if (!near.empty()) message += ", did you mean '" + std::string(near) + "'?";
  return {message};
}

std::string_view form_of(const Target& target) {
  if (std::holds_alternative<Duration StubScript::*>(target)) return "a duration such as 300ms";
  if (std::holds_alternative<CutAs StubScript::*>(target)) return "fin, reset or end";
  if (target == Target(&StubScript::error)) return "a status from 400 to 599";
  if (target == Target(&StubScript::silence_after)) return "a whole number or head";
  return "a whole number";
}

// Applies one "name=value"; nothing if that went well.
std::optional<ScriptError> apply(StubScript& script, std::string_view setting) {
  const std::size_t equals = setting.find('=');
  const std::string_view name = trim(setting.substr(0, equals));
  for (const Setting& known : kSettings) {
    if (known.name != name) continue;
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : trim(setting.substr(equals + 1));
    const bool fits =
        std::visit([&](auto member) { return assign(script, member, value); }, known.target);
    if (fits) return std::nullopt;
    return ScriptError{"stub setting '" + std::string(setting) + "' needs " +
                       std::string(form_of(known.target))};
  }
  return unknown(name);
}

}  // namespace

Result<StubScript, ScriptError> parse_script(std::string_view settings,
                                             const StubScript& defaults) {
  StubScript script = defaults;
  while (!settings.empty()) {
    const std::string_view setting = settings.substr(0, settings.find(','));
    settings.remove_prefix(std::min(settings.size(), setting.size() + 1));
    if (auto error = apply(script, setting)) return Failure{std::move(*error)};
  }
  return script;
}

Result<StubScript, ScriptError> script_of_model(std::string_view model,
                                                const StubScript& defaults) {
  const std::size_t colon = model.find(':');
  if (colon == std::string_view::npos) return defaults;
  const std::string_view settings = model.substr(colon + 1);
  if (settings.find('=') == std::string_view::npos) return defaults;
  return parse_script(settings, defaults);
}

}  // namespace slipstream::lab
