#include "cli/config_file.h"

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

namespace slipstream::cli {

namespace {

std::optional<std::string> environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace

Result<config::Loaded, BadSetting> load_config(const std::string& file, FlagValues flags) {
  config::LoadInput input;
  input.environment = environment;
  input.flags = std::move(flags);
  if (!file.empty()) {
    std::ifstream in(file);
    if (!in) return Failure{BadSetting{config::Source::kFile, "cannot read " + file}};
    std::ostringstream text;
    text << in.rdbuf();
    input.yaml_text = text.str();
    input.yaml_name = file;
  }
  auto loaded = config::load(input);
  if (!loaded) return Failure{BadSetting{loaded.error().source, loaded.error().message}};
  return std::move(*loaded);
}

}  // namespace slipstream::cli
