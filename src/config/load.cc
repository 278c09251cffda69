#include "config/load.h"

#include <map>

#include "base/check.h"
#include "base/text.h"
#include "config/check.h"
#include "config/load_records.h"
#include "config/message.h"
#include "config/options.h"
#include "config/records.h"
#include "config/substitute.h"
#include "config/value.h"
#include "config/yaml.h"

namespace slipstream::config {
namespace {

using Problem = std::optional<ConfigError>;

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
  for (const RecordList& list : record_lists()) names.push_back(list.name);
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
    if (Problem problem = apply_records(records_, input_, loaded_)) {
      problem->source = Source::kFile;
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
      return fault_at(ConfigFault::kSyntax, file_place(entries.error().line),
                      entries.error().message);
    }
    std::map<std::string, int, std::less<>> lines;
    for (const YamlEntry& entry : *entries) {
      const auto [first, fresh] = lines.emplace(entry.path, entry.line);
      if (!fresh) {
        return fault_at(
            ConfigFault::kDuplicate, file_place(entry.line),
            "`" + entry.path + "` stands already in line " + std::to_string(first->second));
      }
      if (is_record_entry(entry)) {
        records_.push_back(entry);
      } else if (Problem problem = apply_entry(entry)) {
        return problem;
      }
    }
    return std::nullopt;
  }

  Problem apply_entry(const YamlEntry& entry) {
    const std::string place = file_place(entry.line);
    const bool empty = entry.kind == YamlEntry::Kind::kEmpty;
    const Option* option = find_option(entry.path);
    if (!option || entry.path != option->name) {  // a flag is not a name in a file
      if (!is_section(entry.path))
        return unknown_option(place, entry.path, nearest_name(entry.path));
      if (empty) return std::nullopt;
      return fault_at(ConfigFault::kBadValue, place,
                      "`" + entry.path + "` is a section; write its options below it");
    }
    if (empty) return bad_value(*option, option->name, place, "nothing");
    if ((entry.kind == YamlEntry::Kind::kList) != is_list(option->type)) {
      return bad_value(*option, option->name, place, shown(entry.items));
    }
    const auto items = substitute_all(entry.items, input_.environment);
    if (!items) {
      return fault_at(ConfigFault::kMissingVariable, place,
                      "`" + std::string(option->name) + "`: " + items.error());
    }
    return set(*option, *items, entry.items, {Source::kFile, place});
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
      if (find_record_list(name)) {
        return fault_at(ConfigFault::kBadValue, place,
                        "`" + name + "` is a list of maps, which only a file can hold");
      }
      if (!option) {
        return unknown_option("command line", name,
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
      return bad_value(option, option.name, origin.place, shown(written));
    }
    loaded_.origins[static_cast<std::size_t>(&option - options().data())] = std::move(origin);
    return std::nullopt;
  }

  std::string file_place(int line) const { return input_.yaml_name + ":" + std::to_string(line); }

  const LoadInput& input_;
  Loaded loaded_;
  std::vector<YamlEntry> records_;  // put aside until everything else is known
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
