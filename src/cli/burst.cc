// slipstream burst
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/cli.h"
#include "lab/burst.h"

namespace slipstream::cli {

namespace {

struct BurstFlags {
  lab::BurstOptions options;
  lab::BurstGroup group;
  std::string duration;
  std::string spread;
  std::string timeout = "60s";
  double temperature = 0;
  bool no_temperature = false;
  bool json = false;
  bool quiet = false;
  bool whole = false;
  bool free = false;
  bool any_upstream = false;
  std::vector<std::string> headers;
};

// CLI11 would take "-5" as a very large number.
std::string not_a_count(const std::string& text) {
  return parse_decimal(text) ? "" : "'" + text + "' is not a whole number";
}

int run_burst_command(BurstFlags& flags) {
  lab::BurstOptions& options = flags.options;
  options.groups = {flags.group};
  if (!flags.duration.empty()) options.duration = milliseconds(parse_milliseconds(flags.duration));
  if (!flags.spread.empty()) options.spread = milliseconds(parse_milliseconds(flags.spread));
  options.timeout = milliseconds(parse_milliseconds(flags.timeout));
  options.temperature =
      flags.no_temperature ? std::nullopt : std::optional<double>(flags.temperature);
  if (flags.whole) options.delivery = lab::Delivery::kWhole;
  if (flags.free) options.pace = lab::Pace::kFree;
  if (flags.any_upstream) options.tokens_from = lab::TokenCheck::kNone;
  for (const std::string& header : flags.headers) {
    const std::size_t colon = header.find(':');
    if (colon == std::string::npos)
      return misused("burst", "--header takes 'name: value', not '" + header + "'");
    const std::size_t value = header.find_first_not_of(' ', colon + 1);
    options.headers.emplace_back(header.substr(0, colon),
                                 value == std::string::npos ? "" : header.substr(value));
  }
  const std::string problem = lab::problem_with(options);
  if (!problem.empty()) return misused("burst", problem);
  lab::ProgressLine line(
      stderr, flags.quiet ? lab::ProgressLine::Mode::kQuiet : lab::ProgressLine::mode_for(stderr));
  const lab::BurstReport report =
      lab::run_burst(options, [&line](const lab::BurstProgress& p) { line.show(p); });
  line.clear();
  std::fputs((flags.json ? lab::render_json(report) : lab::render_table(report)).c_str(), stdout);
  if (report.all_sound()) return 0;
  return flags.json ? 1 : fail("not every answer was complete and equal");
}

}  // namespace

void add_burst(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("burst", "send many requests at once and check every byte of the answers");
  auto flags = std::make_shared<BurstFlags>();
  lab::BurstOptions& options = flags->options;
  command->add_option("--target", options.url, "base URL of the gateway or server")
      ->capture_default_str();
  command->add_option("--callers", flags->group.callers, "callers at once")->capture_default_str();
  command->add_option("--distinct", flags->group.distinct, "different prompts among them")
      ->capture_default_str();
  command
      ->add_option("--duplicate-share", flags->group.duplicate_share,
                   "share of requests that use one of those prompts; the others are unique")
      ->capture_default_str();
  command->add_option("--requests", options.requests, "requests in all; 0 = one per caller")
      ->capture_default_str()
      ->check(not_a_count);
  command->add_option("--duration", flags->duration, "go on for this long, e.g. 10s");
  command->add_option("--spread", flags->spread, "arrival spread, e.g. 200ms");
  command->add_flag("--free", flags->free, "each caller goes on at once instead of in rounds");
  command->add_flag("--whole", flags->whole, "not streamed");
  command
      ->add_option("--model", options.model,
                   "model name; \"stub:first=300ms,tokens=50\" scripts the stub")
      ->capture_default_str();
  command->add_option("--tokens", options.tokens, "max_tokens; 0 = not sent")
      ->capture_default_str()
      ->check(not_a_count);
  command->add_option("--temperature", flags->temperature, "0 is shareable by default")
      ->capture_default_str();
  command->add_flag("--no-temperature", flags->no_temperature,
                    "leave it out: sampled, so not shared");
  command->add_option("--tenants", options.tenants, "different credentials among the callers")
      ->capture_default_str();
  command
      ->add_option("--header", flags->headers,
                   "extra request header 'name: value'; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--aborts", options.leave_share, "share of callers that leave early")
      ->capture_default_str();
  command->add_option("--slow", options.slow_share, "share of callers that read slowly")
      ->capture_default_str();
  command->add_option("--timeout", flags->timeout, "per request")->capture_default_str();
  command->add_option("--stats-url", options.stats_url,
                      "base URL of the stub, to ask how many generations ran");
  command->add_flag("--any-upstream", flags->any_upstream,
                    "the upstream is not the stub: do not check its token numbers");
  command->add_option("--seed", options.seed, "of spread and shares")
      ->capture_default_str()
      ->check(not_a_count);
  command->add_flag("--json", flags->json, "report as JSON");
  command->add_flag("--quiet", flags->quiet, "no progress");
  command->footer(
      "Examples:\n"
      "  slipstream burst --target http://127.0.0.1:8080 --callers 50\n"
      "  slipstream burst --callers 50 --duration 10s --model stub:first=800ms,tokens=1 "
      "--stats-url http://127.0.0.1:9001\n"
      "  slipstream burst --callers 100 --distinct 10 --aborts 0.2 --slow 0.1 --json\n"
      "Exit code 0 only if every answer was complete and equal to its twins.");
  command->callback([flags, &action] { action = [flags] { return run_burst_command(*flags); }; });
}

}  // namespace slipstream::cli
