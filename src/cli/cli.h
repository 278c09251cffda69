// Command line: flags in, exit code out. Wiring only.
//
// Exit codes: 0 done, 1 failed (the reason is one line on stderr), 2 wrong usage.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace slipstream::cli {

int run(int argc, char** argv);

// Each adds its subcommand to `app`; when that is chosen, `action` is set to what runs it.
using Action = std::function<int()>;
void add_serve(CLI::App& app, Action& action);
void add_stub(CLI::App& app, Action& action);
void add_burst(CLI::App& app, Action& action);
void add_demo(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);

// Prints "slipstream: MESSAGE" on stderr and returns 1.
int fail(const std::string& message);
// The same for flags that make no sense together; returns 2.
int misused(const std::string& message);
// "30s", "100ms", "5m": for flags that are durations. Throws CLI::ValidationError.
long long parse_milliseconds(const std::string& text);

const char* version();

}  // namespace slipstream::cli
