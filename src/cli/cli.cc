#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>

#include "base/text.h"
#include "config/load.h"
#include "config/scalar.h"
#include "contract/reference.h"

namespace slipstream::cli {

int fail(const std::string& message) {
  std::fprintf(stderr, "slipstream: %s\n", message.c_str());
  return 1;
}

int misused(std::string_view command, const std::string& message) {
  const std::string of_command = command.empty() ? "" : " " + std::string(command);
  fail(message + " (try: slipstream" + of_command + " --help)");
  return 2;
}

const char* version() {
  return SLIPSTREAM_VERSION;
}

long long parse_milliseconds(const std::string& text) {
  const auto duration = config::parse_duration(text);
  if (!duration) {
    throw CLI::ValidationError("'" + text + "' is not a duration such as 200ms, 5s or 2m");
  }
  return duration->count();
}

namespace {

void print_version() {
  std::printf("slipstream %s\n", version());
}

// One line that says what is wrong; for a word that is no subcommand, which is nearest.
int explain_usage(const CLI::App& app, const CLI::ParseError& error, std::string_view command) {
  if (error.get_exit_code() == 0) return app.exit(error);
  if (command.starts_with('-'))
    return misused("", "there is no flag '" + std::string(command) + "' in front of a command");
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  if (std::find(names.begin(), names.end(), command) != names.end())
    return misused(command, error.what());
  std::string message = "there is no command '" + std::string(command) + "'";
  const std::string_view near = nearest(command, names);
  if (!near.empty()) message += "; did you mean '" + std::string(near) + "'?";
  return misused("", message);
}

}  // namespace

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app("Slipstream: a gateway that makes identical concurrent model requests happen once.",
               "slipstream");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  slipstream demo                                       see it work, nothing else needed\n"
      "  slipstream serve --upstream http://127.0.0.1:8000     a gateway before your server\n"
      "Each command has its own --help.");
  app.add_flag_callback(
      "--version",
      [] {
        print_version();
        throw CLI::Success();
      },
      "print the version");
  Action action;
  add_serve(app, action);
  add_stub(app, action);
  add_burst(app, action);
  add_demo(app, action);
  add_explain(app, action);
  add_doctor(app, action);
  add_hash_key(app, action);
  CLI::App* reference =
      app.add_subcommand("config-reference", "print the reference page of all options");
  reference->footer("Example:\n  slipstream config-reference > docs/configuration.md");
  reference->callback([&action] {
    action = [] {
      std::fputs(config::reference_markdown().c_str(), stdout);
      return 0;
    };
  });
  CLI::App* contract =
      app.add_subcommand("contract-reference", "print the reference page of what is shared");
  contract->footer("Example:\n  slipstream contract-reference > docs/contract.md");
  contract->callback([&action] {
    action = [] {
      std::fputs(contract::reference_markdown().c_str(), stdout);
      return 0;
    };
  });
  CLI::App* about = app.add_subcommand("version", "print the version");
  about->footer("Example:\n  slipstream version");
  about->callback([&action] {
    action = [] {
      print_version();
      return 0;
    };
  });
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first.empty() || first == "help") {
    std::fputs(app.help().c_str(), stdout);
    return first.empty() ? misused("", "a command is missing") : 0;
  }
  try {
    app.parse(argc, argv);
    return action();  // may refuse a value of its own
  } catch (const CLI::ParseError& error) {
    return explain_usage(app, error, first);
  }
}

}  // namespace slipstream::cli
