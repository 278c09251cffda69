// The command line as its users see it: what is printed where, and the exit code.
#include "cli/cli.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace slipstream::cli {
namespace {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome run_with(std::vector<std::string> words) {
  words.insert(words.begin(), "slipstream");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run(static_cast<int>(argv.size()), argv.data());
  std::fflush(stdout);
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// One line on stderr that begins with the program's name, and nothing on stdout.
void expect_failure(const Outcome& outcome, int code, std::string_view part) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("slipstream: ")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, part)) << outcome.err;
  if (code == 1) EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
}

class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() / (std::to_string(::getpid()) + "-" + name)) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

constexpr const char* kCommands[] = {
    "serve", "stub", "burst", "demo", "explain", "config-reference", "version"};

TEST(Cli, HelpListsEveryCommand) {
  const Outcome help = run_with({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.err, "");
  for (const char* command : kCommands) EXPECT_TRUE(has(help.out, command)) << command;
}

TEST(Cli, HelpOfEachCommandHasAnExample) {
  for (const char* command : kCommands) {
    const Outcome help = run_with({command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_TRUE(has(help.out, "Example")) << command;
    EXPECT_TRUE(has(help.out, std::string("slipstream ") + command)) << command;
  }
}

TEST(Cli, VersionIsTheSameBothWays) {
  const Outcome command = run_with({"version"});
  EXPECT_EQ(command.code, 0);
  EXPECT_TRUE(command.out.starts_with("slipstream ")) << command.out;
  EXPECT_EQ(run_with({"--version"}).out, command.out);
}

TEST(Cli, UnknownCommandNamesTheNearest) {
  expect_failure(run_with({"serv"}), 2, "there is no command 'serv'; did you mean 'serve'?");
  expect_failure(run_with({"exlpain"}), 2, "did you mean 'explain'?");
  expect_failure(run_with({"xyzzyplugh"}), 2, "there is no command 'xyzzyplugh'\n");
}

TEST(Cli, WrongUsageIsExitCodeTwoAndPointsToHelp) {
  const Outcome nothing = run_with({});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(has(nothing.out, "Examples:")) << nothing.out;
  expect_failure(run_with({"--nonsense"}), 2, "Try: slipstream --help");
  expect_failure(run_with({"serve", "--nonsense"}), 2, "Try: slipstream serve --help");
  expect_failure(run_with({"burst", "--callers", "many"}), 2, "Try: slipstream burst --help");
  expect_failure(run_with({"burst", "--duration", "soon"}), 2, "is not a duration");
  expect_failure(run_with({"explain"}), 2, "Try: slipstream explain --help");
}

TEST(Cli, DurationsHaveUnits) {
  EXPECT_EQ(parse_milliseconds("200ms"), 200);
  EXPECT_EQ(parse_milliseconds("5s"), 5000);
  EXPECT_EQ(parse_milliseconds("2m"), 120'000);
  for (const char* text : {"", "5", "s", "-1s", "5 s"}) {
    EXPECT_ANY_THROW(parse_milliseconds(text)) << text;
  }
}

// --- serve ---

TEST(Serve, PrintsWhatIsInForceAndWhereItComesFrom) {
  const TemporaryFile file("gateway.yaml", "coalesce:\n  grace_max: 3s\n");
  ::setenv("SLIPSTREAM_WORKERS", "3", 1);
  const Outcome outcome = run_with({"serve", "--config", file.path(), "--listen", "127.0.0.1:0",
                                    "--set", "retry.enabled=false", "--print-config"});
  ::unsetenv("SLIPSTREAM_WORKERS");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "from " + file.path() + ":2")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "from --listen"));
  EXPECT_TRUE(has(outcome.out, "SLIPSTREAM_WORKERS"));
  EXPECT_TRUE(has(outcome.out, "default"));
}

TEST(Serve, ConfigurationErrorsAreOneLineWithTheirPlace) {
  const TemporaryFile file("bad.yaml", "listen: 127.0.0.1:0\ncoalesce:\n  grace_maxx: 3s\n");
  expect_failure(run_with({"serve", "--config", file.path()}), 1, file.path() + ":3");
  expect_failure(run_with({"serve", "--config", "/no/such/file"}), 1, "cannot read /no/such/file");
  expect_failure(run_with({"serve", "--listen", "nowhere"}), 1, "listen");
  expect_failure(run_with({"serve", "--set", "listen"}), 1, "--set takes name=value");
  expect_failure(run_with({"serve", "--set", "no.such=1"}), 1, "no.such");
}

// --- explain ---

TEST(Explain, SaysWhetherAndWhy) {
  const TemporaryFile greedy("greedy.json", R"({"model":"m","temperature":0,"messages":[]})");
  const TemporaryFile sampled("sampled.json", R"({"model":"m","messages":[]})");
  const Outcome shared = run_with({"explain", greedy.path()});
  EXPECT_EQ(shared.code, 0) << shared.err;
  EXPECT_TRUE(has(shared.out, "greedy")) << shared.out;
  EXPECT_TRUE(has(run_with({"explain", sampled.path()}).out, "sampled"));
  EXPECT_NE(run_with({"explain", sampled.path(), "--share-sampled"}).out,
            run_with({"explain", sampled.path()}).out);
  EXPECT_TRUE(has(run_with({"explain", greedy.path(), "--header", "cache-control: no-store"}).out,
                  "no-store"));
}

TEST(Explain, RefusesWhatTheGatewayWouldRefuse) {
  const TemporaryFile twice("twice.json", R"({"model":"m","model":"n","messages":[]})");
  const TemporaryFile good("good.json", R"({"model":"m","messages":[]})");
  expect_failure(run_with({"explain", twice.path()}), 1, "would be refused with 400");
  expect_failure(run_with({"explain", "/no/such/file"}), 1, "cannot read /no/such/file");
  expect_failure(run_with({"explain", good.path(), "--header", "no colon"}), 1, "--header");
}

// --- the laboratory ---

TEST(Stub, RefusesAScriptItDoesNotKnow) {
  expect_failure(run_with({"stub", "--script", "nonsense=1"}), 1, "nonsense");
  expect_failure(run_with({"stub", "--listen", "nowhere"}), 1, "nowhere");
}

TEST(Burst, RefusesWhatItCannotSend) {
  expect_failure(run_with({"burst", "--header", "no-colon", "--quiet"}), 2, "--header takes");
  expect_failure(run_with({"burst", "--target", "ftp://x", "--quiet"}), 2, "ftp://x");
}

TEST(Demo, ManyIdenticalCallersCostOneGeneration) {
  const Outcome demo = run_with({"demo", "--identical", "20", "--different", "2"});
  EXPECT_EQ(demo.code, 0) << demo.err;
  EXPECT_TRUE(has(demo.out, "20 identical callers, 1 generation; 2 different ones, 2 generations."))
      << demo.out;
}

TEST(ConfigReference, IsMarkdown) {
  const Outcome reference = run_with({"config-reference"});
  EXPECT_EQ(reference.code, 0);
  EXPECT_TRUE(has(reference.out, "| `upstream.url` |"));
}

}  // namespace
}  // namespace slipstream::cli
