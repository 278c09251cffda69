#include "config/load_records.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "config/message.h"
#include "config/records.h"
#include "config/substitute.h"
#include "config/value.h"

namespace slipstream::config {
namespace {

using Problem = std::optional<ConfigError>;

// `tenants[0].name` -> `tenants`, `coalesce.enabled` -> `coalesce`.
std::string_view list_of(std::string_view path) {
  return path.substr(0, path.find_first_of("[."));
}

class RecordLoader {
 public:
  RecordLoader(const LoadInput& input, Loaded& loaded) : input_(input), loaded_(loaded) {}

  Problem apply(const YamlEntry& entry) {
    const RecordList* list = find_record_list(list_of(entry.path));
    const std::string place = place_of(entry.line);
    if (list == nullptr) {
      return fault_at(ConfigFault::kBadValue, place,
                      shown({entry.path}) +
                          " is a map in a list; only tenants and routes are lists "
                          "of maps");
    }
    const bool head =
        entry.path == list->name && entry.items.empty() && entry.kind != YamlEntry::Kind::kScalar;
    if (head) return std::nullopt;
    if (entry.path.size() == list->name.size() || entry.path[list->name.size()] != '[') {
      return fault_at(ConfigFault::kBadValue, place,
                      "`" + std::string(list->name) + "` must be a list of maps, `- name: ...`");
    }
    if (entry.kind == YamlEntry::Kind::kRecord && entry.path.find('.') == entry.path.npos) {
      Problem problem = finish();
      begin(*list, entry);
      return problem;
    }
    return apply_field(entry, place);
  }

  // What the last record lacks.
  Problem finish() {
    if (list_ == nullptr) return std::nullopt;
    for (const Option& field : list_->fields) {
      if (given_.contains(field.name) || follows_option(field) || field.type == Type::kSecret) {
        continue;
      }
      if (assign(field, split_items(field, field.default_text), loaded_.settings)) continue;
      return fault_at(ConfigFault::kBadValue, place_of(line_),
                      "`" + path_ + "` must have `" + std::string(field.name) + "`");
    }
    return std::nullopt;
  }

 private:
  void begin(const RecordList& list, const YamlEntry& entry) {
    list_ = &list;
    path_ = entry.path;
    line_ = entry.line;
    given_.clear();
    list.resize(loaded_.settings, list.size(loaded_.settings) + 1);
  }

  Problem apply_field(const YamlEntry& entry, const std::string& place) {
    // Also false for a name that only looks like a field's, brackets and all.
    const bool of_record = list_ != nullptr && entry.path.starts_with(path_ + ".");
    if (!of_record) return unknown_option(place, entry.path, "");
    const std::string name = entry.path.substr(path_.size() + 1);
    const Option* field = list_->find(name);
    if (field == nullptr) return unknown_option(place, entry.path, nearest_field(name));
    if (entry.kind == YamlEntry::Kind::kEmpty) {
      return bad_value(*field, entry.path, place, "nothing");
    }
    if ((entry.kind == YamlEntry::Kind::kList) != is_list(field->type)) {
      return bad_value(*field, entry.path, place, shown(entry.items));
    }
    auto items = substitute_all(entry.items, input_.environment);
    if (!items) {
      return fault_at(ConfigFault::kMissingVariable, place,
                      "`" + entry.path + "`: " + items.error());
    }
    if (!assign(*field, *items, loaded_.settings)) {
      return bad_value(*field, entry.path, place, shown(entry.items));
    }
    given_.insert(field->name);
    loaded_.field_origins[entry.path] = {Source::kFile, place};
    return std::nullopt;
  }

  std::string_view nearest_field(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const Option& field : list_->fields) names.push_back(field.name);
    return nearest(name, names);
  }

  std::string place_of(int line) const { return input_.yaml_name + ":" + std::to_string(line); }

  const LoadInput& input_;
  Loaded& loaded_;
  const RecordList* list_ = nullptr;  // of the record being filled
  std::string path_;
  int line_ = 0;
  std::set<std::string_view> given_;
};

}  // namespace

bool is_record_entry(const YamlEntry& entry) {
  return entry.kind == YamlEntry::Kind::kRecord || entry.path.find('[') != std::string::npos ||
         find_record_list(list_of(entry.path)) != nullptr;
}

std::optional<ConfigError> apply_records(const std::vector<YamlEntry>& entries,
                                         const LoadInput& input, Loaded& loaded) {
  RecordLoader loader(input, loaded);
  for (const YamlEntry& entry : entries) {
    if (Problem problem = loader.apply(entry)) return problem;
  }
  return loader.finish();
}

}  // namespace slipstream::config
