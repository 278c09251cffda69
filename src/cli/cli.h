// Command line: flags in, exit code out. Wiring only.
//
// Exit codes: 0 done; 1 failed, such as a port in use, a file that cannot be read, or a wrong value
// in the configuration file or the environment; 2 a command line that cannot be meant. Of 1 and 2
// the reason is one line on stderr. `explain` answers a question: 0 yes, 1 no, 2 trouble of any
// kind.
#pragma once

#include <functional>
#include <string>
#include <string_view>

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
void add_doctor(CLI::App& app, Action& action);
void add_hash_key(CLI::App& app, Action& action);

// Prints "slipstream: MESSAGE" on stderr and returns 1.
int fail(const std::string& message);
// The same for a command line that `command` cannot follow, with where to find help; returns 2.
int misused(std::string_view command, const std::string& message);
// "30s", "100ms", "5m": for flags that are durations. Throws CLI::ValidationError.
long long parse_milliseconds(const std::string& text);

const char* version();

}  // namespace slipstream::cli
