#include "config/check.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "config/tenant_key.h"

namespace slipstream::config {
namespace {

struct Rule {
  std::string_view first;
  std::string_view second;
  bool (*broken)(const Settings&);
  std::string_view sentence;
};

constexpr Rule kRules[] = {
    {"tls.certificate", "tls.key",
     [](const Settings& s) { return s.tls.certificate.empty() != s.tls.key.empty(); },
     "must be given both or not at all"},
    {"listen", "admin",
     [](const Settings& s) { return s.admin && s.listen.port != 0 && s.listen == *s.admin; },
     "must be two addresses"},
    {"limits.request_line_bytes", "limits.head_bytes",
     [](const Settings& s) { return s.limits.request_line_bytes > s.limits.head_bytes; },
     "contradict each other: the line is part of the head"},
    {"replay.flight_bytes_max", "replay.total_bytes_max",
     [](const Settings& s) { return s.replay.flight_bytes_max > s.replay.total_bytes_max; },
     "contradict each other: one flight is part of all"},
    {"retry.backoff_base", "retry.backoff_max",
     [](const Settings& s) { return s.retry.backoff_base > s.retry.backoff_max; },
     "contradict each other: the base is the smaller one"},
};

std::string with_origin(std::string_view name, const Loaded& loaded) {
  return "`" + std::string(name) + "` (" + describe(origin_of(loaded, name)) + ")";
}

ConfigError record_conflict(const Loaded& loaded, const std::string& path,
                            const std::string& sentence) {
  const auto origin = loaded.field_origins.find(path);
  const std::string place =
      origin == loaded.field_origins.end() ? "" : " (" + describe(origin->second) + ")";
  return {.fault = ConfigFault::kConflict,
          .message = "`" + path + "`" + place + " " + sentence,
          .source = Source::kFile};
}

template <typename Record>
std::optional<ConfigError> find_name_twice(const Loaded& loaded, std::string_view list,
                                           const std::vector<Record>& records) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (names.insert(records[i].name).second) continue;
    return record_conflict(loaded, std::string(list) + "[" + std::to_string(i) + "].name",
                           "is the name of another one");
  }
  return std::nullopt;
}

// A key belongs to one tenant, however it is written; and a hash means nothing without its secret.
std::optional<ConfigError> find_key_conflict(const Loaded& loaded) {
  const Settings& settings = loaded.settings;
  HmacSha256 mac(settings.scope.secret.reveal());
  std::set<DigestBytes> seen;
  for (std::size_t i = 0; i < settings.tenants.size(); ++i) {
    const std::string path = "tenants[" + std::to_string(i) + "].keys";
    for (const Secret& key : settings.tenants[i].keys) {
      if (settings.scope.secret.empty() && is_key_hash(key.reveal())) {
        return record_conflict(loaded, path,
                               "holds a hash (`hmac:...`), which nothing can be compared with "
                               "unless `scope.secret` is set to the secret it was made with");
      }
      if (!seen.insert(hash_of_configured(mac, key.reveal())).second) {
        return record_conflict(loaded, path, "holds a key that stands in this file twice");
      }
    }
  }
  return std::nullopt;
}

std::optional<ConfigError> find_record_conflict(const Loaded& loaded) {
  const Settings& settings = loaded.settings;
  if (auto error = find_name_twice(loaded, "tenants", settings.tenants)) return error;
  if (auto error = find_name_twice(loaded, "routes", settings.routes)) return error;
  for (std::size_t i = 0; i < settings.routes.size(); ++i) {
    if (settings.routes[i].name != "default") continue;
    return record_conflict(loaded, "routes[" + std::to_string(i) + "].name",
                           "is what requests without a route are counted as");
  }
  return find_key_conflict(loaded);
}

}  // namespace

std::optional<ConfigError> find_conflict(const Loaded& loaded) {
  for (const Rule& rule : kRules) {
    if (!rule.broken(loaded.settings)) continue;
    return ConfigError{
        .fault = ConfigFault::kConflict,
        .message = with_origin(rule.first, loaded) + " and " + with_origin(rule.second, loaded) +
                   " " + std::string(rule.sentence),
        .source =
            std::max(origin_of(loaded, rule.first).source, origin_of(loaded, rule.second).source)};
  }
  return find_record_conflict(loaded);
}

}  // namespace slipstream::config
