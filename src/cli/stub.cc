// slipstream stub
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/cli.h"
#include "config/scalar.h"
#include "lab/stub.h"
#include "net/reactor.h"

namespace slipstream::cli {

namespace {

struct StubFlags {
  std::string listen = "127.0.0.1:9001";
  std::string model = "stub";
  std::string script;
  std::string identity;
  std::string first_token = "50ms";
  std::string interval = "10ms";
  int tokens = 20;
};

int run_stub(const StubFlags& flags) {
  const std::string defaults = "first=" + flags.first_token + ",interval=" + flags.interval +
                               ",tokens=" + std::to_string(flags.tokens);
  auto script = lab::parse_script(defaults + (flags.script.empty() ? "" : "," + flags.script),
                                  lab::StubScript{});
  if (!script) return misused("stub", script.error().message);
  if (!config::parse_address(flags.listen))
    return misused("stub", "'" + flags.listen + "' is not an address such as 127.0.0.1:9001");
  const SystemClock clock;
  net::Reactor reactor(clock);
  lab::StubOptions options;
  options.script = *script;
  options.model = flags.model;
  auto identity = lab::parse_identity(flags.identity, lab::Identity{});
  if (!identity) return misused("stub", identity.error().message);
  options.identity = std::move(*identity);
  lab::Stub stub(reactor, options);
  const auto address = stub.listen(flags.listen);
  if (!address) return fail(address.error().message);
  std::printf("stub listening on %s\n", address->c_str());
  std::fflush(stdout);
  reactor.on_signals([&reactor](int) { reactor.stop(); });
  reactor.run();
  return 0;
}

}  // namespace

void add_stub(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("stub", "run a deterministic model server without a model");
  auto flags = std::make_shared<StubFlags>();
  command->add_option("--listen", flags->listen, "address to serve on")->capture_default_str();
  command->add_option("--model", flags->model, "name that /v1/models shows")->capture_default_str();
  command->add_option("--first-token", flags->first_token, "delay before the first token")
      ->capture_default_str();
  command->add_option("--interval", flags->interval, "delay between tokens")->capture_default_str();
  command->add_option("--tokens", flags->tokens, "tokens of an answer")->capture_default_str();
  command->add_option("--script", flags->script,
                      "more settings, as name=value,name=value: load=2s, error=400 to 599, "
                      "error_calls=2, retry_after=1, cut=5, cut_as=fin, reset or end, "
                      "error_event=5, silence_after=3 or head, comments=1s, bytes=64");
  command->add_option(
      "--identity", flags->identity,
      "what probes learn: server=any|none|ollama|llamacpp|vllm|sglang|tgi, build=b1, "
      "digest=ab, template=t, context=8192, marker=m");
  command->footer(
      "Examples:\n"
      "  slipstream stub --first-token 300ms --tokens 50\n"
      "  slipstream stub --script error=503,error_calls=1\n"
      "A request can choose its own script by model name: \"stub:first=1s,cut=5\".\n"
      "GET /stub/stats tells how many generations ran; POST /stub/identity with a body like\n"
      "build=b2,digest=cd changes what probes learn.");
  command->callback([flags, &action] { action = [flags] { return run_stub(*flags); }; });
}

}  // namespace slipstream::cli
