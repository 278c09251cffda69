// slipstream demo: stub, gateway and burst in one process, and a verdict.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <thread>

#include "cli/cli.h"
#include "cli/gateway_process.h"
#include "config/load.h"
#include "lab/burst.h"
#include "lab/stub.h"

namespace slipstream::cli {

namespace {

struct DemoFlags {
  int identical = 50;
  int different = 5;
  bool json = false;
};

// The stub on a thread of its own, until destroyed.
class StubThread {
 public:
  explicit StubThread(const lab::StubOptions& options)
      : reactor_(clock_), stub_(reactor_, options) {}
  ~StubThread() {
    reactor_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Result<std::string, net::ListenError> start() {
    auto address = stub_.listen("127.0.0.1:0");
    if (address) thread_ = std::thread([this] { reactor_.run(); });
    return address;
  }

 private:
  SystemClock clock_;
  net::Reactor reactor_;
  lab::Stub stub_;
  std::thread thread_;
};

Result<config::Settings, gateway::StartError> demo_settings(const std::string& stub) {
  config::LoadInput input;
  input.flags = {{"listen", "127.0.0.1:0"},
                 {"admin", "off"},
                 {"upstream.url", "http://" + stub},
                 {"log.level", "warning"}};
  auto loaded = config::load(input);
  if (!loaded) return Failure{gateway::StartError{loaded.error().message}};
  return loaded->settings;
}

lab::BurstOptions demo_burst(const DemoFlags& flags, const std::string& gateway,
                             const std::string& stub) {
  lab::BurstOptions options;
  options.url = "http://" + gateway;
  options.stats_url = "http://" + stub;
  options.model = "stub";
  lab::BurstGroup identical;
  identical.name = "identical";
  identical.callers = flags.identical;
  lab::BurstGroup different;
  different.name = "different";
  different.callers = different.distinct = flags.different;
  options.groups = {identical, different};
  return options;
}

int verdict(const DemoFlags& flags, const lab::BurstReport& report) {
  const std::uint64_t identical = report.groups[0].generations;
  const std::uint64_t different = report.groups[1].generations;
  const auto wanted = static_cast<std::uint64_t>(flags.different);
  const bool right = report.all_sound() && identical == 1 && different == wanted &&
                     report.upstream_calls.value_or(0) == 1 + wanted;
  if (!right) {
    return fail("expected 1 generation for the identical callers and " + std::to_string(wanted) +
                " for the different ones, every answer complete" +
                (report.first_failure.empty() ? "" : "; first failure: " + report.first_failure));
  }
  if (!flags.json) {
    std::printf(
        "\n%d identical callers, 1 generation; %d different ones, %d generations. Every answer "
        "complete and equal.\n"
        "%d generations without Slipstream, %d with.\n",
        flags.identical, flags.different, flags.different, flags.identical + flags.different,
        1 + flags.different);
  }
  return 0;
}

int demo(const DemoFlags& flags) {
  lab::StubOptions stub_options;
  stub_options.script =
      *lab::parse_script("first=300ms,interval=20ms,tokens=40", lab::StubScript{});
  StubThread stub(stub_options);
  const auto stub_address = stub.start();
  if (!stub_address) return fail(stub_address.error().message);
  auto settings = demo_settings(*stub_address);
  if (!settings) return fail(settings.error().message);
  auto process = GatewayProcess::create(*settings);
  if (!process) return fail(process.error().message);
  gateway::Server& server = (*process)->server();
  server.start();
  server.wait_first_look();
  if (!flags.json) {
    std::printf("model stub on %s, gateway on %s\n", stub_address->c_str(),
                server.address().c_str());
    std::printf("%d identical streaming requests and %d different ones, all at once ...\n\n",
                flags.identical, flags.different);
    std::fflush(stdout);
  }
  lab::ProgressLine line(stderr, flags.json || isatty(STDERR_FILENO) == 0
                                     ? lab::ProgressLine::Mode::kQuiet
                                     : lab::ProgressLine::Mode::kUpdating);
  const lab::BurstReport report =
      lab::run_burst(demo_burst(flags, server.address(), *stub_address),
                     [&line](const lab::BurstProgress& p) { line.show(p); });
  line.clear();
  server.stop();
  server.join();
  std::fputs((flags.json ? lab::render_json(report) : lab::render_table(report)).c_str(), stdout);
  return verdict(flags, report);
}

}  // namespace

void add_demo(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("demo", "stub, gateway and a burst of callers in one process");
  auto flags = std::make_shared<DemoFlags>();
  command->add_option("--identical", flags->identical, "callers with the same request")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000));
  command->add_option("--different", flags->different, "callers with a request of their own")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_flag("--json", flags->json, "report as JSON");
  command->footer(
      "Example:\n  slipstream demo --identical 500\nExit code 0 only if the identical callers cost "
      "one generation.");
  command->callback([flags, &action] { action = [flags] { return demo(*flags); }; });
}

}  // namespace slipstream::cli
