#include "gateway/shared.h"

#include "base/random.h"
#include "base/text.h"
#include "gateway/endpoint.h"
#include "gateway/prober.h"
#include "upstream/failure.h"

namespace slipstream::gateway {

namespace {

// The directory has their hashes; nothing needs more.
config::Settings without_keys(config::Settings settings) {
  for (config::Tenant& tenant : settings.tenants) {
    tenant.keys.clear();
    tenant.upstream_credential = {};
  }
  return settings;
}

contract::Scope scope_of_everyone(std::string_view secret) {
  HmacSha256 mac(secret);
  return {tenant::named_scope(mac, tenant::ScopeKind::kPublic, "")};
}

std::string make_secret(const config::Settings& settings) {
  if (!settings.scope.secret.empty()) return std::string(settings.scope.secret.reveal());
  std::string secret;
  for (int i = 0; i < 4; ++i) append_hex(secret, system_seed());
  return secret;
}

flight::Bounds make_bounds(const config::Settings& settings) {
  flight::Bounds bounds;
  bounds.join_window_age = settings.coalesce.join_window_age;
  bounds.join_window_bytes = settings.coalesce.join_window_bytes;
  bounds.subscribers_max = static_cast<std::uint32_t>(settings.coalesce.followers_max);
  bounds.grace_max = settings.coalesce.grace_max;
  bounds.grace_percent = static_cast<std::uint32_t>(settings.coalesce.grace_share);
  return bounds;
}

template <std::size_t n>
std::vector<std::string> strings(const std::array<std::string_view, n>& names) {
  return {names.begin(), names.end()};
}

}  // namespace

Shared::Shared(const config::Settings& with, std::size_t worker_count, telemetry::Metrics& to,
               telemetry::Log& into, const Clock& time)
    : settings(without_keys(with)),
      epoch(first_identity(with, time.wall_now()), configured_profile(with)),
      upstream_host(host_of(with.upstream.url)),
      endpoint(host_of(with.upstream.url)),
      scope_secret(make_secret(with)),
      tenants(with.tenants, scope_secret),
      public_scope(scope_of_everyone(scope_secret)),
      replay_budget(with.replay.total_bytes_max),
      table(make_bounds(with)),
      metrics(to),
      log(into),
      clock(time),
      ports(worker_count) {}

std::vector<telemetry::LabelValues> metric_labels() {
  std::vector<std::string> reasons;
  for (int i = 0; i < contract::kReasonCount; ++i) {
    reasons.emplace_back(contract::to_string(static_cast<contract::Reason>(i)));
  }
  using telemetry::LabelledCounter;
  return {{LabelledCounter::kVerdicts, reasons},
          {LabelledCounter::kRetries, strings(upstream::kFailureClassNames)},
          {LabelledCounter::kUpstreamFailures, strings(upstream::kFailureClassNames)},
          {LabelledCounter::kSubscriberEndings, strings(flight::kSubscriberEndingNames)},
          {LabelledCounter::kFlightEndings, strings(flight::kFlightEndingNames)},
          {LabelledCounter::kRefusedRequests, strings(kRefusedBecauseNames)},
          {LabelledCounter::kEpochChanges, strings(kEpochCauseNames)}};
}

}  // namespace slipstream::gateway
