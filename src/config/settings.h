// Every option of the gateway as a typed value.
//
// Filled by load() (config/load.h) from the one table of declarations (config/options.h), which
// also says what each member means: the comments here only name the unit where the type does not.
// A value; constant once loaded.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/profile.h"
#include "base/secret.h"

namespace slipstream::config {

struct Address {
  std::string host;  // a name or a numeric address, IPv6 without brackets
  std::uint16_t port = 0;
  bool operator==(const Address&) const = default;
};

struct Url {
  bool tls = false;  // https
  Address address;
  std::string
      path;  // prefix before the caller's path; empty or starts with '/', never ends with it
  bool operator==(const Url&) const = default;
};

// Addresses with a common prefix. IPv4 is kept as its IPv6-mapped form, so that both compare alike.
struct Network {
  std::array<std::uint8_t, 16> address{};  // all bits after the prefix are zero
  int prefix_bits = 128;                   // 96 and more for IPv4
  bool operator==(const Network&) const = default;
};

enum class Sampled { kSeparate, kShare };
enum class UnknownKey { kRefuse, kPass };
enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };
enum class LogFormat { kText, kJson };

using Milliseconds = std::chrono::milliseconds;

// What may share: of one route, or of all requests that no route takes.
struct Sharing {
  bool enabled = true;
  Sampled sampled = Sampled::kSeparate;
  bool seed_honoured = false;
  std::vector<std::string> harmless_fields;
  std::vector<std::string> harmless_headers;
};

struct Route : Sharing {
  std::string name;
  std::vector<std::string> surfaces;  // empty: all
  std::vector<std::string> models;    // names, or prefixes that end with '*'; empty: all
  bool is_public = false;
};

struct Tenant {
  std::string name;
  std::vector<Secret> keys;               // in clear, or as hash (config/tenant_key.h)
  Secret upstream_credential;             // empty: the caller's own is passed on
  std::uint64_t requests_per_minute = 0;  // 0: any number
  std::uint64_t tokens_per_minute = 0;    // 0: any number
};

struct Settings {
  Address listen;
  std::optional<Address> admin;  // none: off
  std::uint64_t workers = 0;     // 0: as many as CPUs
  std::string epoch;
  struct Scope {
    Secret secret;               // empty: random per start
    std::string trusted_header;  // lower case
    std::vector<Network> trusted_addresses;
    UnknownKey unknown_key = UnknownKey::kRefuse;
  } scope;
  std::vector<Tenant> tenants;
  std::vector<Route> routes;  // the first that fits decides; if none does, `coalesce`

  struct Upstream {
    Url url;
    std::string tls_ca;  // path of a PEM file, empty: the system's
    bool tls_verify = true;
    Milliseconds connect_timeout{};
    Milliseconds write_timeout{};
    Milliseconds first_event_timeout{};
    Milliseconds between_events_timeout{};
    Milliseconds flight_age_max{};
    Milliseconds idle_timeout{};
    std::uint64_t connections_max = 0;  // per worker
    std::uint64_t response_bytes_max = 0;
    std::optional<Profile> profile;  // none: found out by asking
    Milliseconds probe_interval{};   // 0: off
    struct Declared {
      std::string artifact_digest;
      std::string command;
    } declared;
  } upstream;

  struct Tls {
    std::string certificate;  // paths of PEM files, both empty: plain HTTP
    std::string key;
  } tls;

  struct Limits {
    std::uint64_t request_line_bytes = 0;
    std::uint64_t head_bytes = 0;
    std::uint64_t head_fields = 0;
    std::uint64_t body_bytes = 0;
    std::uint64_t connections = 0;
    std::uint64_t connections_per_address = 0;  // 0: off
    std::uint64_t pipelined_bytes = 0;
    Milliseconds head_time{};
    std::uint64_t body_bytes_per_second = 0;
    Milliseconds keep_alive_idle{};
    Milliseconds write_stall{};
    std::uint64_t send_buffer_bytes = 0;
  } limits;

  struct Coalesce : Sharing {
    Milliseconds join_window_age{};
    std::uint64_t join_window_bytes = 0;
    std::uint64_t followers_max = 0;
    Milliseconds grace_max{};
    std::uint64_t grace_share = 0;  // percent of the flight's age
    Milliseconds follower_wait{};   // 0: off
  } coalesce;

  struct Replay {
    std::uint64_t flight_bytes_max = 0;
    std::uint64_t total_bytes_max = 0;
    std::uint64_t lag_bytes_max = 0;
    Milliseconds lag_time_max{};
    Milliseconds flush_window{};  // 0: off
  } replay;

  struct Retry {
    bool enabled = true;
    std::uint64_t budget_ratio = 0;  // percent of requests
    std::uint64_t budget_floor = 0;  // retries per second
    std::uint64_t budget_cap = 0;    // retries
    Milliseconds backoff_base{};
    Milliseconds backoff_max{};
    Milliseconds after_max{};
  } retry;

  struct Request {
    Milliseconds deadline{};
    std::string deadline_header;  // lower case
  } request;

  struct Stream {
    Milliseconds keep_alive_comment{};  // 0: off
  } stream;
  struct Drain {
    Milliseconds timeout{};
  } drain;
  struct Metrics {
    std::uint64_t models_max = 0;
    std::uint64_t tenants_max = 0;
  } metrics;
  struct Log {
    LogLevel level = LogLevel::kInfo;
    LogFormat format = LogFormat::kText;
  } log;
};

}  // namespace slipstream::config
