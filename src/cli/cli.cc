#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include "base/text.h"
#include "config/load.h"
#include "config/scalar.h"

namespace slipstream::cli {

int fail(const std::string& message) {
  std::fprintf(stderr, "slipstream: %s\n", message.c_str());
  return 1;
}

int misused(const std::string& message) {
  fail(message);
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

// A word that is no subcommand: says which is nearest.
int explain_usage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (error.get_exit_code() == 0) return app.exit(error);
  if (argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(sub->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) == names.end()) {
      const std::string_view near = nearest(argv[1], names);
      std::fprintf(stderr, "slipstream: there is no command '%s'", argv[1]);
      if (!near.empty())
        std::fprintf(stderr, "; did you mean '%.*s'?", static_cast<int>(near.size()), near.data());
      std::fprintf(stderr, "\nTry: slipstream --help\n");
      return 2;
    }
  }
  std::fprintf(stderr, "slipstream: %s\nTry: slipstream%s%s --help\n", error.what(),
               argc > 1 && argv[1][0] != '-' ? " " : "",
               argc > 1 && argv[1][0] != '-' ? argv[1] : "");
  return 2;
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
  CLI::App* reference =
      app.add_subcommand("config-reference", "print the reference page of all options");
  reference->footer("Example:\n  slipstream config-reference > docs/configuration.md");
  reference->callback([&action] {
    action = [] {
      std::fputs(config::reference_markdown().c_str(), stdout);
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
    return first.empty() ? 2 : 0;
  }
  try {
    app.parse(argc, argv);
    return action();  // may refuse a value of its own
  } catch (const CLI::ParseError& error) {
    return explain_usage(app, error, argc, argv);
  }
}

}  // namespace slipstream::cli
