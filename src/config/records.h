// The declarations of lists of maps: `tenants`, `routes`. Only a file can hold them.
//
// The fields of a record are declared like options, with the last record of the list as target, so
// that everything that drives options drives fields as well. Immutable after first use.
#pragma once

#include <string_view>
#include <vector>

#include "config/options.h"

namespace slipstream::config {

struct RecordList {
  std::string_view name;
  std::string_view effect;
  std::size_t (*size)(const Settings&);
  // Adds records with their defaults at the end, or removes from there.
  void (*resize)(Settings&, std::size_t);
  // Names relative to the record. A default that is an option's name follows that option.
  std::vector<Option> fields;

  const Option* find(std::string_view field) const;
};

const std::vector<RecordList>& record_lists();

// Null if there is none of that name.
const RecordList* find_record_list(std::string_view name);

// The field's default is the value of another option.
bool follows_option(const Option& field);

}  // namespace slipstream::config
