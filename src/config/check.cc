#include "config/check.h"

#include <algorithm>
#include <string>
#include <string_view>

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
  return std::nullopt;
}

}  // namespace slipstream::config
