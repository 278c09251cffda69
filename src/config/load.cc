#include "config/load.h"

#include <map>

#include "base/check.h"
#include "base/text.h"
#include "config/check.h"
#include "config/options.h"
#include "config/substitute.h"
#include "config/value.h"
#include "config/yaml.h"

namespace slipstream::config {
namespace {

using Problem = std::optional<ConfigError>;

// Messages quote what was written, shortened and without control characters.
std::string shown(const std::vector<std::string>& items) {
  std::string out = "`";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ", ";
    for (const char c : item.substr(0, 80)) out += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return out + "`";
}

bool is_section(std::string_view path) {
  for (const Option& option : options()) {
    if (option.name.size() > path.size() && option.name.starts_with(path) &&
        option.name[path.size()] == '.') {
      return true;
    }
  }
  return false;
}

std::string_view nearest_name(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Option& option : options()) names.push_back(option.name);
  return nearest(word, names);
}

std::string_view nearest_flag(std::string_view word) {
  std::vector<std::string_view> flags;
  for (const Option& option : options()) {
    if (!option.flag.empty()) flags.push_back(option.flag);
  }
  return nearest(word, flags);
}

// Applies one layer after the other; a later layer replaces value and origin.
class Loader {
 public:
  explicit Loader(const LoadInput& input) : input_(input) {
    loaded_.origins.resize(options().size());
  }

  Result<Loaded, ConfigError> run() {
    apply_defaults();
    constexpr std::pair<Source, Problem (Loader::*)()> kLayers[] = {
        {Source::kFile, &Loader::apply_file},
        {Source::kEnvironment, &Loader::apply_environment},
        {Source::kFlag, &Loader::apply_flags}};
    for (const auto& [source, apply] : kLayers) {
      Problem problem = (this->*apply)();
      if (!problem) continue;
      problem->source = source;
      return Failure{*std::move(problem)};
    }
    if (Problem problem = find_conflict(loaded_)) return Failure{*std::move(problem)};
    return std::move(loaded_);
  }

 private:
  void apply_defaults() {
    for (const Option& option : options()) {
      // An absent secret stays empty: its bounds are for the secrets that are given.
      if (option.type == Type::kSecret) continue;
      Option unbounded = option;
      unbounded.bounds = {};
      assign(unbounded, split_items(option, option.default_text), loaded_.settings);
    }
  }

  Problem apply_file() {
    auto entries = flatten_yaml(input_.yaml_text);
    if (!entries) {
      return fault(ConfigFault::kSyntax, file_place(entries.error().line), entries.error().message);
    }
    std::map<std::string, int, std::less<>> lines;
    for (const YamlEntry& entry : *entries) {
      const auto [first, fresh] = lines.emplace(entry.path, entry.line);
      if (!fresh) {
        return fault(
            ConfigFault::kDuplicate, file_place(entry.line),
            "`" + entry.path + "` stands already in line " + std::to_string(first->second));
      }
      if (Problem problem = apply_entry(entry)) return problem;
    }
    return std::nullopt;
  }

  Problem apply_entry(const YamlEntry& entry) {
    const std::string place = file_place(entry.line);
    const bool empty = entry.kind == YamlEntry::Kind::kEmpty;
    const Option* option = find_option(entry.path);
    if (!option || entry.path != option->name) {  // a flag is not a name in a file
      if (!is_section(entry.path)) return unknown(place, entry.path, nearest_name(entry.path));
      if (empty) return std::nullopt;
      return fault(ConfigFault::kBadValue, place,
                   "`" + entry.path + "` is a section; write its options below it");
    }
    if (empty) return bad_value(*option, place, "nothing");
    if ((entry.kind == YamlEntry::Kind::kList) != (option->type == Type::kList)) {
      return bad_value(*option, place, shown(entry.items));
    }
    std::vector<std::string> items;
    for (const std::string& item : entry.items) {
      auto text = substitute(item, input_.environment);
      if (!text) {
        return fault(ConfigFault::kMissingVariable, place,
                     "`" + std::string(option->name) + "`: " + text.error());
      }
      items.push_back(*std::move(text));
    }
    return set(*option, items, entry.items, {Source::kFile, place});
  }

  Problem apply_environment() {
    if (!input_.environment) return std::nullopt;
    for (const Option& option : options()) {
      const std::string name = environment_name(option);
      const auto text = input_.environment(name);
      if (!text) continue;
      const auto items = split_items(option, *text);
      if (Problem problem = set(option, items, items, {Source::kEnvironment, name})) return problem;
    }
    return std::nullopt;
  }

  Problem apply_flags() {
    for (const auto& [name, text] : input_.flags) {
      const Option* option = find_option(name);
      const std::string place = name.starts_with('-') ? name : "--set " + name;
      if (!option) {
        return unknown("command line", name,
                       name.starts_with('-') ? nearest_flag(name) : nearest_name(name));
      }
      const auto items = split_items(*option, text);
      if (Problem problem = set(*option, items, items, {Source::kFlag, place})) return problem;
    }
    return std::nullopt;
  }

  // `written` is what the operator wrote: a message never shows what a ${VARIABLE} held.
  Problem set(const Option& option, const std::vector<std::string>& items,
              const std::vector<std::string>& written, Origin origin) {
    if (!assign(option, items, loaded_.settings)) {
      return bad_value(option, origin.place, shown(written));
    }
    loaded_.origins[static_cast<std::size_t>(&option - options().data())] = std::move(origin);
    return std::nullopt;
  }

  std::string file_place(int line) const { return input_.yaml_name + ":" + std::to_string(line); }

  static ConfigError fault(ConfigFault kind, const std::string& place, const std::string& message) {
    return {.fault = kind, .message = place + ": " + message};
  }

  static ConfigError bad_value(const Option& option, const std::string& place,
                               std::string written) {
    if (option.type == Type::kSecret) written = "the value given";
    return fault(ConfigFault::kBadValue, place,
                 "`" + std::string(option.name) + "` must be " + accepted_form(option) + "; " +
                     written + " is not");
  }

  static ConfigError unknown(const std::string& place, const std::string& name,
                             std::string_view near) {
    std::string message = "unknown option " + shown({name});
    if (!near.empty()) message += "; did you mean `" + std::string(near) + "`?";
    return fault(ConfigFault::kUnknownOption, place, message);
  }

  const LoadInput& input_;
  Loaded loaded_;
};

}  // namespace

Result<Loaded, ConfigError> load(const LoadInput& input) {
  return Loader(input).run();
}

const Origin& origin_of(const Loaded& loaded, std::string_view option_name) {
  const Option* option = find_option(option_name);
  SLIP_CHECK(option != nullptr);
  return loaded.origins[static_cast<std::size_t>(option - options().data())];
}

}  // namespace slipstream::config
