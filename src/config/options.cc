#include "config/options.h"

#include "base/text.h"

namespace slipstream::config {
namespace {

using enum Type;
using enum Reload;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kGiB = 1024 * kMiB;
constexpr std::uint64_t kDay = 24ULL * 3600 * 1000;
constexpr Bounds kAny{};
constexpr Bounds kTimeout{1, kDay};       // milliseconds; zero would end everything at once
constexpr Bounds kOptionalTime{0, kDay};  // zero: off
constexpr Bounds kPercent{0, 100};

// The member's path is the option's name, so the two cannot drift apart.
#define AT(member) #member, [](Settings& settings) -> Target { return &settings.member; }

std::vector<Option> top_level() {
  return {
      {AT(listen), "--listen", kAddress, "127.0.0.1:8080", kAny, kNo,
       "Where callers connect; port 0 takes any free port."},
      {AT(admin), "--admin", kAddress, "127.0.0.1:9090", kAny, kNo,
       "Where metrics, health and explanations are served; `off` serves none."},
      {AT(workers), "--workers", kInteger, "0", Bounds(0, 64), kNo,
       "Worker threads, each with its own event loop; 0 takes one per CPU."},
      {AT(epoch), "--epoch", kString, "", Bounds(0, 256), kYes,
       "Identity of the model artifact behind the upstream; requests before and after a change "
       "never share."},
      {AT(scope.secret), "", kSecret, "", Bounds(16, 1024), kNo,
       "Key of the hash that turns a caller's credential into its tenant scope; drawn at random at "
       "every start if absent."},
      {AT(scope.trusted_header), "", kHeaderName, "x-slipstream-scope", Bounds(1, 64), kNo,
       "Header in which a proxy names the tenant, or any other scope; honoured from "
       "`scope.trusted_addresses` only and never passed on. A name without "
       "`x-slipstream-` in front stays in the key as well."},
      {AT(scope.trusted_addresses), "", kNetworkList, "", Bounds(0, 64), kNo,
       "Networks whose `scope.trusted_header` is believed; they must overwrite what callers send."},
      {AT(scope.unknown_key),
       "",
       kEnum,
       "refuse",
       kAny,
       kNo,
       "With tenants: whether a request without a tenant's key is answered 401 (`refuse`) or has "
       "the scope of its own credential (`pass`).",
       {"refuse", "pass"}},
  };
}

std::vector<std::string_view> profile_choices() {
  std::vector<std::string_view> choices = {"auto"};
  choices.insert(choices.end(), kProfileNames.begin(), kProfileNames.end());
  return choices;
}

std::vector<Option> upstream() {
  return {
      {AT(upstream.url), "--upstream", kUrl, "http://127.0.0.1:8000", kAny, kNo,
       "The OpenAI-compatible server that answers; a path in it is put before the caller's path."},
      {AT(upstream.tls_ca), "", kString, "", Bounds(0, 4096), kNo,
       "PEM file of the authorities trusted for an https upstream; empty trusts the system's."},
      {AT(upstream.tls_verify), "", kBool, "true", kAny, kNo,
       "Whether the certificate of an https upstream is verified."},
      {AT(upstream.connect_timeout), "", kDuration, "2s", kTimeout, kYes,
       "Longest time to resolve, connect and finish the TLS handshake."},
      {AT(upstream.write_timeout), "", kDuration, "10s", kTimeout, kYes,
       "Longest time without progress while a request is sent."},
      {AT(upstream.first_event_timeout), "", kDuration, "60s", kTimeout, kYes,
       "Longest wait for the first event of an answer, queueing in the server included."},
      {AT(upstream.between_events_timeout), "", kDuration, "30s", kTimeout, kYes,
       "Longest silence between two events of an answer; comments break it, but do not carry an "
       "answer beyond first_event_timeout."},
      {AT(upstream.flight_age_max), "", kDuration, "3600s", kTimeout, kYes,
       "Age at which a flight is ended even while it makes progress."},
      {AT(upstream.idle_timeout), "", kDuration, "4s", kTimeout, kYes,
       "How long an idle connection is kept; stay below the server's own limit, many close after "
       "5s."},
      {AT(upstream.connections_max), "", kInteger, "16384", Bounds(1, 65536), kYes,
       "Most connections to the upstream per worker."},
      {AT(upstream.response_bytes_max), "", kSize, "16MiB", Bounds(kKiB, kGiB), kYes,
       "Largest non-streamed answer that is held in memory."},
      {AT(upstream.profile), "--profile", kEnum, "auto", kAny, kNo,
       "The kind of server behind the upstream: what it is asked about its model, and which "
       "requests change that; `auto` finds out by asking.",
       profile_choices()},
      {AT(upstream.probe_interval), "", kDuration, "30s", kOptionalTime, kNo,
       "How often the server is asked which model it runs; what changes starts a new epoch, and "
       "nothing joins across it. 0 never asks."},
      {AT(upstream.declared.artifact_digest), "", kString, "", Bounds(0, 256), kNo,
       "Declares which artifact the upstream serves, where the server cannot prove it; replicas "
       "may share only on a proven or declared artifact."},
      {AT(upstream.declared.command), "", kString, "", Bounds(0, 4096), kNo,
       "Declares the launch command of the server, where it does not tell."},
  };
}

std::vector<Option> tls() {
  return {
      {AT(tls.certificate), "--tls-certificate", kString, "", Bounds(0, 4096), kNo,
       "PEM file of the certificate chain shown to callers; together with `tls.key` it turns TLS "
       "on."},
      {AT(tls.key), "--tls-key", kString, "", Bounds(0, 4096), kNo,
       "PEM file of the private key that belongs to `tls.certificate`."},
  };
}

std::vector<Option> limits() {
  return {
      {AT(limits.request_line_bytes), "", kSize, "8KiB", Bounds(256, kMiB), kNo,
       "Longest request line; longer ones are refused with 414."},
      {AT(limits.head_bytes), "", kSize, "32KiB", Bounds(kKiB, kMiB), kNo,
       "Largest request head; larger ones are refused with 431."},
      {AT(limits.head_fields), "", kInteger, "100", Bounds(8, 1000), kNo,
       "Most header fields of a request; more are refused with 431."},
      {AT(limits.body_bytes), "", kSize, "16MiB", Bounds(kKiB, kGiB), kNo,
       "Largest request body; larger ones are refused with 413."},
      {AT(limits.connections), "", kInteger, "65536", Bounds(1, 1000000), kNo,
       "Most caller connections over all workers."},
      {AT(limits.connections_per_address), "", kInteger, "0", Bounds(0, 1000000), kNo,
       "Most connections of one caller address over all workers, further ones are reset; an IPv6 "
       "/64 network counts as one address. 0 sets no limit: behind a load balancer all callers "
       "share its address."},
      {AT(limits.pipelined_bytes), "", kSize, "64KiB", Bounds(kKiB, 16 * kMiB), kNo,
       "Most bytes read ahead of the request being served on one connection."},
      {AT(limits.head_time), "", kDuration, "10s", kTimeout, kNo,
       "Longest time to receive a whole request head."},
      {AT(limits.body_bytes_per_second), "", kSize, "1KiB", Bounds(0, kGiB), kNo,
       "Slowest accepted rate of a request body, measured after its first 10s; 0 accepts any."},
      {AT(limits.keep_alive_idle), "", kDuration, "75s", kTimeout, kNo,
       "How long a caller's connection may idle between requests."},
      {AT(limits.write_stall), "", kDuration, "30s", kTimeout, kNo,
       "How long a caller may take nothing of an answer before its connection is reset."},
      {AT(limits.send_buffer_bytes), "", kSize, "256KiB", Bounds(4 * kKiB, 64 * kMiB), kNo,
       "Send buffer of a caller's socket; larger ones hide slow readers."},
  };
}

std::vector<Option> coalesce() {
  return {
      {AT(coalesce.enabled), "--coalesce", kBool, "true", kAny, kYes,
       "Whether identical requests share one generation at all."},
      {AT(coalesce.sampled),
       "--sampled",
       kEnum,
       "separate",
       kAny,
       kYes,
       "Whether sampled requests may share one draw (`share`) or each get their own (`separate`).",
       {"separate", "share"}},
      {AT(coalesce.seed_honoured), "", kBool, "false", kAny, kYes,
       "Declares that the upstream answers equal seeds equally, so that seeded requests may "
       "share; known of vLLM, llama.cpp, Ollama and TGI without it."},
      {AT(coalesce.harmless_fields), "", kList, "", Bounds(0, 64), kYes,
       "Unknown top-level body fields that do not prevent sharing; they stay in the key."},
      {AT(coalesce.harmless_headers), "", kList, "", Bounds(0, 64), kYes,
       "Request headers, in lower case, that the upstream does not act on: forwarded, but not in "
       "the key. Meant for per-caller marks that a proxy adds; credentials, cookies and content "
       "headers stay in the key whatever is listed."},
      {AT(coalesce.join_window_age), "", kDuration, "600s", kOptionalTime, kYes,
       "Oldest flight that a request may still join."},
      {AT(coalesce.join_window_bytes), "", kSize, "16MiB", Bounds(0, kGiB), kYes,
       "Most bytes a flight may have produced to be still joinable."},
      {AT(coalesce.followers_max), "", kInteger, "100000", Bounds(0, 10000000), kYes,
       "Most followers of one flight; the next request opens a flight of its own."},
      {AT(coalesce.grace_max), "--grace-max", kDuration, "2s", kOptionalTime, kYes,
       "Longest time a generation lives on after its last caller has left; 0 cancels at once."},
      {AT(coalesce.grace_share), "", kInteger, "10", kPercent, kYes,
       "Percent of the flight's age that it lives on after its last caller has left, up to "
       "`coalesce.grace_max`; 0 cancels at once."},
      {AT(coalesce.follower_wait), "", kDuration, "0s", kOptionalTime, kYes,
       "How long a follower waits for a first event before it makes its own call; 0 waits until "
       "its deadline."},
  };
}

std::vector<Option> replay() {
  return {
      {AT(replay.flight_bytes_max), "", kSize, "16MiB", Bounds(64 * kKiB, kGiB), kYes,
       "Most bytes of one flight that are kept for its subscribers."},
      {AT(replay.total_bytes_max), "", kSize, "1GiB", Bounds(kMiB, 1024 * kGiB), kYes,
       "Most bytes kept over all flights."},
      {AT(replay.lag_bytes_max), "", kSize, "4MiB", Bounds(4 * kKiB, kGiB), kYes,
       "How many bytes a subscriber may be behind before it is ended as too slow."},
      {AT(replay.lag_time_max), "", kDuration, "30s", kTimeout, kYes,
       "How long a subscriber may be behind without taking anything before it is ended as too "
       "slow."},
      {AT(replay.flush_window), "", kDuration, "0ms", Bounds(0, 1000), kYes,
       "How long events are gathered into one write; 0 writes each as it comes."},
  };
}

std::vector<Option> retry() {
  return {
      {AT(retry.enabled), "", kBool, "true", kAny, kYes,
       "Whether a flight may repeat a failed attempt before its commit point."},
      {AT(retry.budget_ratio), "", kInteger, "10", kPercent, kYes,
       "Retries allowed as a percentage of requests."},
      {AT(retry.budget_floor), "", kInteger, "1", Bounds(0, 1000), kYes,
       "Retries per second that are allowed whatever the ratio says."},
      {AT(retry.budget_cap), "", kInteger, "20", Bounds(0, 100000), kYes,
       "Most retries that a quiet time can save up."},
      {AT(retry.backoff_base), "", kDuration, "100ms", kTimeout, kYes,
       "Upper bound of the random pause before the first retry."},
      {AT(retry.backoff_max), "", kDuration, "2s", kTimeout, kYes,
       "Longest random pause before a retry."},
      {AT(retry.after_max), "", kDuration, "5s", kOptionalTime, kYes,
       "Longest Retry-After that a flight waits out itself; longer ones go to the callers."},
  };
}

std::vector<Option> service() {
  return {
      {AT(request.deadline), "", kDuration, "600s", kTimeout, kYes,
       "How long a caller waits for its whole answer when it names no deadline, and the longest it "
       "may name."},
      {AT(request.deadline_header), "", kHeaderName, "x-slipstream-deadline", Bounds(1, 64), kNo,
       "Request header in which a caller names its deadline, as 30s or 500ms; it can only "
       "shorten."},
      {AT(stream.keep_alive_comment), "", kDuration, "15s", kOptionalTime, kYes,
       "Silence after which an event stream gets a comment line that keeps proxies from closing "
       "it; 0 sends none."},
      {AT(drain.timeout), "", kDuration, "30s", kOptionalTime, kYes,
       "How long running answers may finish after a stop was asked for."},
      {AT(metrics.models_max), "", kInteger, "64", Bounds(0, 1000), kNo,
       "Most distinct model labels in metrics, further ones count as `other`; 0 leaves the label "
       "out."},
      {AT(metrics.tenants_max), "", kInteger, "0", Bounds(0, 1000), kNo,
       "Most distinct tenant labels in metrics, further ones count as `other`; 0 leaves the label "
       "out."},
      {AT(log.level),
       "--log-level",
       kEnum,
       "info",
       kAny,
       kYes,
       "Least important event that is logged.",
       {"debug", "info", "warning", "error", "off"}},
      {AT(log.format),
       "--log-format",
       kEnum,
       "text",
       kAny,
       kNo,
       "Form of the log lines.",
       {"text", "json"}},
  };
}

#undef AT

std::vector<Option> all() {
  std::vector<Option> table;
  for (auto* section : {top_level, upstream, tls, limits, coalesce, replay, retry, service}) {
    for (Option& option : section()) table.push_back(std::move(option));
  }
  return table;
}

}  // namespace

const std::vector<Option>& options() {
  static const std::vector<Option> table = all();
  return table;
}

bool is_list(Type type) {
  return type == kList || type == kSecretList || type == kNetworkList;
}

bool is_secret(Type type) {
  return type == kSecret || type == kSecretList;
}

const Option* find_option(std::string_view name_or_flag) {
  for (const Option& option : options()) {
    if (option.name == name_or_flag) return &option;
    if (!option.flag.empty() && option.flag == name_or_flag) return &option;
  }
  return nullptr;
}

std::string environment_name(const Option& option) {
  std::string name = "SLIPSTREAM_";
  for (const char c : option.name) {
    name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  return name;
}

}  // namespace slipstream::config
