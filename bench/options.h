// Command-line options of the benchmark programs: pairs `--name value`, nothing else.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "raw.h"

namespace slipstream::bench {

class Options {
 public:
  // Reads argv[first] and what follows; dies on anything that is not a pair.
  Options(int argc, char** argv, int first) {
    for (int i = first; i < argc; i += 2) {
      const std::string_view name = argv[i];
      if (!name.starts_with("--") || i + 1 >= argc)
        die("expected --name value: " + std::string(name));
      values_[std::string(name.substr(2))] = argv[i + 1];
    }
  }

  std::string text(const std::string& name, const std::string& otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  std::int64_t number(const std::string& name, std::int64_t otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : std::strtoll(found->second.c_str(), nullptr, 10);
  }
  std::size_t count(const std::string& name, std::size_t otherwise) const {
    return static_cast<std::size_t>(number(name, static_cast<std::int64_t>(otherwise)));
  }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace slipstream::bench
