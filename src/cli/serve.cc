// slipstream serve
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/cli.h"
#include "cli/config_file.h"
#include "cli/gateway_process.h"
#include "config/load.h"
#include "config/options.h"
#include "config/scalar.h"

namespace slipstream::cli {

namespace {

struct ServeFlags {
  std::string config_file;
  std::vector<std::pair<std::string, std::unique_ptr<std::string>>> values;  // by flag
  std::vector<std::string> sets;
  bool print_config = false;
};

// What flags, file and environment say together.
Result<config::Loaded, BadSetting> load(const ServeFlags& flags) {
  FlagValues given;
  for (const auto& [flag, value] : flags.values) {
    if (!value->empty()) given.emplace_back(flag, *value);
  }
  for (const std::string& pair : flags.sets) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos)
      return Failure{
          BadSetting{config::Source::kFlag, "--set takes name=value, not '" + pair + "'"}};
    given.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return load_config(flags.config_file, std::move(given));
}

std::string help_of(const config::Option& option) {
  std::string help = std::string(option.effect) + " [" + std::string(option.default_text) + "]";
  if (option.type == config::Type::kBool) return help + " true or false";
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    help += i == 0 ? " one of " : i + 1 == option.choices.size() ? " or " : ", ";
    help += option.choices[i];
  }
  return help;
}

int serve(const ServeFlags& flags) {
  auto loaded = load(flags);
  if (!loaded) {
    return loaded.error().source == config::Source::kFlag ? misused("serve", loaded.error().message)
                                                          : fail(loaded.error().message);
  }
  if (flags.print_config) {
    std::fputs(config::print_config(*loaded).c_str(), stdout);
    return 0;
  }
  auto process = GatewayProcess::create(loaded->settings);
  if (!process) return fail(process.error().message);
  std::printf("listening on %s\n", (*process)->address().c_str());
  if (!(*process)->admin_address().empty())
    std::printf("admin on %s\n", (*process)->admin_address().c_str());
  std::printf("upstream %s\n", config::format_url(loaded->settings.upstream.url).c_str());
  std::fflush(stdout);
  (*process)->run();
  return 0;
}

}  // namespace

void add_serve(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("serve", "run the gateway");
  auto flags = std::make_shared<ServeFlags>();
  command->add_option("--config", flags->config_file,
                      "YAML file; flags and SLIPSTREAM_* variables override it");
  for (const config::Option& option : config::options()) {
    if (option.flag.empty()) continue;
    flags->values.emplace_back(std::string(option.flag), std::make_unique<std::string>());
    command->add_option(std::string(option.flag), *flags->values.back().second, help_of(option));
  }
  command->add_option("--set", flags->sets, "any option by name, as name=value; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--print-config", flags->print_config,
                    "print what is in force and where each value came from");
  command->footer(
      "Examples:\n"
      "  slipstream serve --upstream http://127.0.0.1:8000\n"
      "  slipstream serve --listen 0.0.0.0:8080 --upstream https://api.example.com --workers 4\n"
      "  slipstream serve --config slipstream.yaml --set coalesce.grace_max=0s --print-config\n"
      "SIGTERM or Ctrl-C lets running answers finish (drain.timeout), a second one stops at once.\n"
      "All options: slipstream config-reference");
  command->callback([flags, &action] { action = [flags] { return serve(*flags); }; });
}

}  // namespace slipstream::cli
