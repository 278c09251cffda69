// A configuration file flattened to dotted paths, with the line of each.
//
// The accepted YAML is small on purpose: one document of maps, scalars, lists of scalars and lists
// of maps.
// Anchors, aliases, tags and merge keys are refused: they hide where a value comes from and can
// explode. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace slipstream::config {

struct YamlEntry {
  enum class Kind {
    kScalar,
    kList,    // of scalars
    kEmpty,   // `key:` without a value, or null
    kRecord,  // one map of a list of maps; its own entries follow
  };
  std::string path;  // coalesce.grace_max, tenants[0], tenants[0].name
  int line = 0;      // of the key, from 1
  Kind kind = Kind::kScalar;
  std::vector<std::string> items;  // the scalar, or the list
};

struct YamlFault {
  int line = 0;
  std::string message;
};

// Entries in file order. Empty text gives none. Paths may repeat: the caller judges that.
Result<std::vector<YamlEntry>, YamlFault> flatten_yaml(std::string_view text);

}  // namespace slipstream::config
