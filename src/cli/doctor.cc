// slipstream doctor
#include "cli/doctor.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/cli.h"
#include "cli/config_file.h"
#include "config/scalar.h"
#include "gateway/endpoint.h"
#include "gateway/inspector.h"
#include "net/connector.h"
#include "net/reactor.h"
#include "upstream/client.h"

namespace slipstream::cli {

namespace {

struct DoctorFlags {
  std::string config_file;
  std::string upstream;
  std::string profile;
  std::string model;
  std::string timeout = "10s";
  bool json = false;
};

// Asks one server, on this thread, within one limit.
class Visit {
 public:
  Visit(const config::Settings& settings, const net::TlsContext* tls, long long limit_ms)
      : settings_(settings),
        limit_(milliseconds(limit_ms)),
        reactor_(clock_),
        connector_(reactor_, tls),
        client_(reactor_, connector_, options(settings, limit_ms)) {}

  Diagnosis run() {
    Diagnosis diagnosis;
    diagnosis.upstream = config::format_url(settings_.upstream.url);
    diagnosis.today = identity::utc_date(clock_.wall_now());
    const auto look = inspect(identity::Inspection(gateway::inspection_setup(settings_)));
    diagnosis.identity = look->inspection().identity();
    diagnosis.conclusive = look->inspection().conclusive();
    diagnosis.asked = look->inspection().asked();
    auto failure = look->failure();
    if (diagnosis.asked.empty()) {
      // Nothing to find out; only whether somebody is there.
      const auto knock = inspect(identity::Inspection({.profile = Profile::kGeneric}));
      diagnosis.asked = knock->inspection().asked();
      failure = knock->failure();
    }
    const auto heard = [](const auto& asked) { return asked.status != 0; };
    if (std::none_of(diagnosis.asked.begin(), diagnosis.asked.end(), heard))
      diagnosis.failure = std::string(to_string(failure.value_or(upstream::FailureClass::kCut)));
    return diagnosis;
  }

 private:
  static upstream::ClientOptions options(const config::Settings& settings, long long limit_ms) {
    upstream::ClientOptions options = gateway::client_options(settings);
    options.connect_timeout_ms = std::min(options.connect_timeout_ms, limit_ms);
    return options;
  }

  std::unique_ptr<gateway::Inspector> inspect(identity::Inspection inspection) {
    bool done = false;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    auto inspector = std::make_unique<gateway::Inspector>(
        reactor_, client_, gateway::inspection_target(settings_), std::move(inspection), limit_,
        [&done] { done = true; },
        [terminal](const identity::Probe& probe) {
          if (terminal) std::fprintf(stderr, "\r\x1b[Kasking %s ...", probe.path.c_str());
        });
    reactor_.run_until([&done] { return done; }, limit_ * 2);
    if (terminal) std::fputs("\r\x1b[K", stderr);
    return inspector;
  }

  const SystemClock clock_;
  const config::Settings& settings_;
  const Duration limit_;
  net::Reactor reactor_;
  net::TcpConnector connector_;
  upstream::Client client_;
};

int doctor(const DoctorFlags& flags) {
  const long long limit_ms = parse_milliseconds(flags.timeout);
  if (limit_ms <= 0) return misused("doctor", "--timeout must be longer than 0");
  FlagValues given;
  if (!flags.upstream.empty()) given.emplace_back("--upstream", flags.upstream);
  if (!flags.profile.empty()) given.emplace_back("--profile", flags.profile);
  if (given.empty() && flags.config_file.empty())
    return misused("doctor", "needs --upstream or --config");
  const auto loaded = load_config(flags.config_file, std::move(given));
  if (!loaded) return misused("doctor", loaded.error().message);
  const config::Settings& settings = loaded->settings;
  const auto tls = gateway::upstream_tls(settings);
  if (!tls) return misused("doctor", tls.error().message);
  Diagnosis diagnosis = Visit(settings, tls->get(), limit_ms).run();
  diagnosis.model = flags.model;
  if (flags.json) std::fputs(diagnosis_json(diagnosis).c_str(), stdout);
  if (!diagnosis.failure.empty())
    return fail("cannot reach " + diagnosis.upstream + ": " + diagnosis.failure);
  if (!flags.json) std::fputs(diagnosis_table(diagnosis).c_str(), stdout);
  return 0;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "doctor", "ask a model server who it is, and say what that means for sharing");
  auto flags = std::make_shared<DoctorFlags>();
  command->add_option("--upstream", flags->upstream, "URL of the server");
  command->add_option("--profile", flags->profile,
                      "kind of server, such as vllm or ollama; found out if absent");
  command->add_option("--model", flags->model, "the model to judge; all that are listed if absent");
  command->add_option("--config", flags->config_file,
                      "the gateway's YAML file: upstream, profile and what it declares");
  command->add_option("--timeout", flags->timeout, "longest time for all questions together")
      ->capture_default_str();
  command->add_flag("--json", flags->json, "report as JSON");
  command->footer(
      "Examples:\n"
      "  slipstream doctor --upstream http://127.0.0.1:11434\n"
      "  slipstream doctor --config slipstream.yaml --json\n"
      "Exit code 0 if somebody answered, 1 if nobody did, 2 for wrong usage.");
  command->callback([flags, &action] { action = [flags] { return doctor(*flags); }; });
}

}  // namespace slipstream::cli
