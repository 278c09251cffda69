// The command line as its users see it: what is printed where, and the exit code.
#include "cli/cli.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "config/options.h"
#include "net/socket.h"

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

// Exactly one line on stderr, which begins with the program's name; nothing on stdout. Wrong usage
// is told where help is.
void expect_failure(const Outcome& outcome, int code, std::string_view part) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("slipstream: ")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, part)) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  EXPECT_EQ(has(outcome.err, "(try: slipstream"), code == 2) << outcome.err;
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

constexpr const char* kCommands[] = {"serve",
                                     "stub",
                                     "burst",
                                     "demo",
                                     "explain",
                                     "doctor",
                                     "hash-key",
                                     "config-reference",
                                     "contract-reference",
                                     "version"};

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
  expect_failure(run_with({"xyzzyplugh"}), 2, "there is no command 'xyzzyplugh' (try: ");
}

TEST(Cli, WithoutACommandThereIsHelp) {
  const Outcome nothing = run_with({});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(has(nothing.out, "Examples:")) << nothing.out;
  EXPECT_EQ(nothing.err, "slipstream: a command is missing (try: slipstream --help)\n");
  EXPECT_EQ(run_with({"help"}).code, 0);
}

struct Refusal {
  std::vector<std::string> words;
  int code;
  const char* part;  // of the line on stderr
};

void expect_refusals(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    std::string line = "slipstream";
    for (const std::string& word : refusal.words) line += " " + word;
    SCOPED_TRACE(line);
    expect_failure(run_with(refusal.words), refusal.code, refusal.part);
  }
}

TEST(Cli, AnUnknownFlagOrWordIsExitCodeTwo) {
  expect_failure(run_with({"--nonsense"}), 2,
                 "there is no flag '--nonsense' in front of a command (try: slipstream --help)");
  for (const std::string command : kCommands) {
    const std::string help = " (try: slipstream " + command + " --help)";
    SCOPED_TRACE(command);
    std::vector<std::string> words = {command, "--nonsense"};
    if (command == "explain") words.push_back("file");
    expect_failure(run_with(words), 2, "--nonsense" + help);
    expect_failure(run_with({command, "one", "two", "three"}), 2, help);
  }
}

TEST(Cli, WrongUsageIsExitCodeTwo) {
  const TemporaryFile body("body.json", R"({"model":"m","messages":[]})");
  expect_refusals({
      {{"serve", "--listen", "nowhere"}, 2, "`listen` must be an address"},
      {{"serve", "--upstream", "ftp://x"}, 2, "`upstream.url` must be a URL"},
      {{"serve", "--workers", "many"}, 2, "`workers` must be a whole number"},
      {{"serve", "--workers", "65"}, 2, "0 to 64"},
      {{"serve", "--grace-max", "soon"}, 2, "must be a duration"},
      {{"serve", "--sampled", "maybe"}, 2, "must be one of separate or share"},
      {{"serve", "--listen", "127.0.0.1:9090"}, 2, "must be two addresses"},
      {{"serve", "--config"}, 2, "--config"},
      {{"serve", "--set", "listen"}, 2, "--set takes name=value"},
      {{"serve", "--set", "no.such=1"}, 2, "no.such"},
      {{"stub", "--listen", "nowhere"}, 2, "'nowhere' is not an address"},
      {{"stub", "--tokens", "many"}, 2, "--tokens"},
      {{"stub", "--tokens", "-1"}, 2, "needs a whole number"},
      {{"stub", "--first-token", "soon"}, 2, "needs a duration such as 300ms"},
      {{"stub", "--script", "nonsense=1"}, 2, "unknown stub setting 'nonsense'"},
      {{"stub", "--script", "cut_as=x"}, 2, "needs fin, reset or end"},
      {{"burst", "--target", "ftp://x"}, 2, "'ftp://x' is no http:// URL"},
      {{"burst", "--stats-url", "x"}, 2, "'x' is no http:// URL"},
      {{"burst", "--callers", "many"}, 2, "--callers"},
      {{"burst", "--callers", "0"}, 2, "at least one caller"},
      {{"burst", "--requests", "-5"}, 2, "'-5' is not a whole number"},
      {{"burst", "--tokens", "-5"}, 2, "'-5' is not a whole number"},
      {{"burst", "--seed", "-5"}, 2, "'-5' is not a whole number"},
      {{"burst", "--aborts", "2"}, 2, "between 0 and 1"},
      {{"burst", "--temperature", "hot"}, 2, "--temperature"},
      {{"burst", "--duration", "soon"}, 2, "is not a duration"},
      {{"burst", "--timeout", "0"}, 2, "above zero"},
      {{"burst", "--header", "no-colon"}, 2, "--header takes 'name: value'"},
      {{"demo", "--identical", "0"}, 2, "not in range"},
      {{"demo", "--different", "many"}, 2, "--different"},
      {{"explain"}, 2, "A is required"},
      {{"explain", "-", "-"}, 2, "only one of two"},
      {{"explain", body.path(), "--header", "no colon"}, 2, "--header"},
      {{"explain", body.path(), body.path(), "--header-b", "no colon"}, 2, "--header"},
      {{"explain", body.path(), "--path", "v1"}, 2, "The path does not start with '/'"},
      {{"explain", body.path(), "--path", "/a b"}, 2, "--path"},
  });
}

TEST(Cli, FailuresAreExitCodeOne) {
  SystemClock clock;
  net::Reactor reactor(clock);
  const auto taken = net::Listener::open(reactor, {.address = "127.0.0.1:0"}, nullptr);
  ASSERT_TRUE(taken.ok());
  const std::string port_in_use = (*taken)->bound_address();
  const TemporaryFile bad("bad.yaml", "listen: 127.0.0.1:0\ncoalesce:\n  grace_maxx: 3s\n");
  expect_refusals({
      {{"serve", "--listen", port_in_use, "--admin", "off"}, 1, port_in_use.c_str()},
      {{"serve", "--listen", "127.0.0.1:0", "--admin", port_in_use}, 1, port_in_use.c_str()},
      {{"serve", "--config", bad.path()}, 1, "bad.yaml:3"},
      {{"serve", "--config", "/no/such/file"}, 1, "cannot read /no/such/file"},
      {{"serve", "--tls-certificate", "/no/c", "--tls-key", "/no/k", "--listen", "127.0.0.1:0"},
       1,
       "/no/c"},
      {{"stub", "--listen", port_in_use}, 1, port_in_use.c_str()},
  });
  ::setenv("SLIPSTREAM_WORKERS", "many", 1);
  const Outcome outcome = run_with({"serve"});
  ::unsetenv("SLIPSTREAM_WORKERS");
  expect_failure(outcome, 1, "SLIPSTREAM_WORKERS");
}

TEST(Cli, HelpOfServeListsTheChoices) {
  const std::string help = run_with({"serve", "--help"}).out;
  for (const config::Option& option : config::options()) {
    if (option.flag.empty()) continue;
    const std::size_t at = help.find(std::string(option.flag) + " ");
    ASSERT_NE(at, std::string::npos) << option.flag;
    const std::string line = help.substr(at, help.find("\n  --", at) - at);
    for (const auto choice : option.choices) {
      EXPECT_TRUE(has(line, std::string(choice))) << option.flag << ": " << line;
    }
    EXPECT_TRUE(has(line, "[" + std::string(option.default_text) + "]")) << line;
    if (option.type == config::Type::kBool) EXPECT_TRUE(has(line, "true or false")) << line;
  }
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

// --- explain ---

TEST(Explain, SaysWhetherAndWhy) {
  const TemporaryFile greedy("greedy.json", R"({"model":"m","temperature":0,"messages":[]})");
  const TemporaryFile sampled("sampled.json", R"({"model":"m","messages":[]})");
  const Outcome shared = run_with({"explain", greedy.path()});
  EXPECT_EQ(shared.code, 0) << shared.err;
  EXPECT_TRUE(has(shared.out, "reason     greedy\n")) << shared.out;
  const Outcome apart = run_with({"explain", sampled.path()});
  EXPECT_EQ(apart.code, 1) << "not shareable";
  EXPECT_TRUE(has(apart.out, "reason     sampled\n")) << apart.out;
  EXPECT_EQ(apart.err, "");
  EXPECT_EQ(run_with({"explain", sampled.path(), "--share-sampled"}).code, 0);
  const Outcome alone =
      run_with({"explain", greedy.path(), "--header", "cache-control: no-store", "--json"});
  EXPECT_EQ(alone.code, 1);
  EXPECT_TRUE(has(alone.out, R"("reason": "opted_out")")) << alone.out;
  const Outcome elsewhere = run_with({"explain", greedy.path(), "--path", "/v1/nothing"});
  EXPECT_EQ(elsewhere.code, 1);
  EXPECT_TRUE(has(elsewhere.out, "reason     surface\n")) << elsewhere.out;
}

TEST(Explain, SaysWhatKeepsTwoApart) {
  const TemporaryFile a("a.json", R"({"model":"m","temperature":0,"messages":[]})");
  const TemporaryFile b("b.json", R"({ "temperature": 0.0, "messages": [], "model": "m" })");
  const TemporaryFile c("c.json", R"({"model":"m","messages":[]})");
  const Outcome same = run_with({"explain", a.path(), b.path()});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_TRUE(has(same.out, "\nThey share: the keys are equal, and `temperature` is")) << same.out;
  const Outcome apart = run_with({"explain", a.path(), c.path()});
  EXPECT_EQ(apart.code, 1);
  EXPECT_TRUE(has(apart.out, "\nThey do not share: `temperature` is 0 in A and absent in B.\n"));
  const Outcome header =
      run_with({"explain", a.path(), b.path(), "--header-b", "x-b: 1", "--header", "x-c: 1"});
  EXPECT_EQ(header.code, 1);
  EXPECT_TRUE(has(header.out, "They do not share: header `x-b` is only in B.\n")) << header.out;
  const Outcome equal = run_with({"explain", c.path(), c.path(), "--json"});
  EXPECT_EQ(equal.code, 1) << "equal, but sampled";
  EXPECT_TRUE(has(equal.out, R"("why": "the keys are equal, but each runs alone (sampled))"));
}

TEST(Explain, TroubleIsExitCodeTwo) {
  const TemporaryFile good("good.json", "{}");
  const TemporaryFile twice("twice.json", R"({"model":"m","model":"n","messages":[]})");
  const auto expect_trouble = [](std::vector<std::string> words, std::string_view part) {
    const Outcome outcome = run_with(std::move(words));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(has(outcome.err, part)) << outcome.err;
  };
  expect_trouble({"explain", "/no/such/file"}, "slipstream: cannot read /no/such/file\n");
  expect_trouble({"explain", "/tmp"}, "cannot read /tmp");
  expect_trouble({"explain", twice.path()}, "twice.json would be refused with 400");
  expect_trouble({"explain", good.path(), twice.path()}, "twice.json would be refused with 400");
}

Outcome hash_key_of(const std::string& input, const std::string& config_file) {
  std::istringstream stream(input);
  std::streambuf* const before = std::cin.rdbuf(stream.rdbuf());
  Outcome outcome = run_with({"hash-key", "--config", config_file});
  std::cin.rdbuf(before);
  return outcome;
}

TEST(HashKey, PrintsWhatTheConfigurationAccepts) {
  const TemporaryFile secret("secret.yaml", "scope: {secret: 0123456789abcdef}\n");
  const Outcome hash = hash_key_of("key-of-a-tenant\n", secret.path());
  ASSERT_EQ(hash.code, 0) << hash.err;
  EXPECT_EQ(hash.out, hash_key_of("key-of-a-tenant", secret.path()).out);
  EXPECT_NE(hash.out, hash_key_of("key-of-b-tenant", secret.path()).out);
  const TemporaryFile tenants(
      "tenants.yaml", "scope: {secret: 0123456789abcdef}\ntenants:\n  - name: a\n    keys: ['" +
                          hash.out.substr(0, hash.out.size() - 1) + "']\n");
  const Outcome shown = run_with({"serve", "--config", tenants.path(), "--print-config"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(has(shown.out, "keys: [\"***\"]")) << shown.out;
}

TEST(HashKey, NeedsTheSecretAndAKey) {
  const TemporaryFile none("none.yaml", "workers: 1\n");
  const TemporaryFile secret("secret.yaml", "scope: {secret: 0123456789abcdef}\n");
  expect_failure(hash_key_of("key-of-a-tenant\n", none.path()), 1, "scope.secret is not set");
  expect_failure(hash_key_of("", secret.path()), 1, "standard input must hold one key");
  const std::string hash = "hmac:" + std::string(64, 'a');
  expect_failure(hash_key_of(hash, secret.path()), 1, "not a hash");
}

// --- the laboratory ---

TEST(Burst, AServerThatIsNotThereIsAFailure) {
  const Outcome burst =
      run_with({"burst", "--target", "http://127.0.0.1:1", "--callers", "1", "--quiet"});
  EXPECT_EQ(burst.code, 1);
  EXPECT_TRUE(has(burst.out, "no connection: refused")) << burst.out;
  EXPECT_EQ(burst.err, "slipstream: not every answer was complete and equal\n");
}

TEST(Demo, ManyIdenticalCallersCostOneGeneration) {
  const Outcome demo = run_with({"demo", "--identical", "20", "--different", "2"});
  EXPECT_EQ(demo.code, 0) << demo.err;
  EXPECT_TRUE(has(demo.out, "20 identical callers, 1 generation; 2 different ones, 2 generations."))
      << demo.out;
  EXPECT_TRUE(has(demo.out, "22 generations without Slipstream, 3 with.\n")) << demo.out;
}

TEST(ConfigReference, IsMarkdown) {
  const Outcome reference = run_with({"config-reference"});
  EXPECT_EQ(reference.code, 0);
  EXPECT_TRUE(has(reference.out, "| `upstream.url` |"));
}

TEST(ContractReference, IsMarkdown) {
  const Outcome reference = run_with({"contract-reference"});
  EXPECT_EQ(reference.code, 0);
  EXPECT_TRUE(has(reference.out, "| `temperature` | K |"));
}

}  // namespace
}  // namespace slipstream::cli
