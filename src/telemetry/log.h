// The log: one line per event, `key=value` pairs or JSON, to stderr.
//
// Passed by constructor. Lines go through a bounded queue to one writing thread; when a slow reader
// of stderr lets it fill up, the oldest lines are dropped and counted, and no worker ever waits.
// Thread rule: any thread may log. Everything is written when the Log is destroyed.
// Invariants: values are escaped, so a caller's text cannot forge a line or a field; a Secret does
// not convert to a value.
#pragma once

#include <spdlog/common.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/secret.h"

namespace spdlog {
class async_logger;
namespace details {
class thread_pool;
}
}  // namespace spdlog

namespace slipstream::telemetry {

enum class Level { kDebug, kInfo, kWarning, kError, kOff };
enum class LogFormat { kText, kJson };

// A value longer than this many bytes is cut, and the cut is shown.
inline constexpr std::size_t kLogValueBytesMax = 256;

// One pair. `key` must be a literal in snake_case; a text value must live until event() returns.
class LogField {
 public:
  LogField(std::string_view key, std::string_view value) : key_(key), value_(value) {}
  LogField(std::string_view key, const char* value) : key_(key), value_(std::string_view(value)) {}
  LogField(std::string_view key, std::signed_integral auto value)
      : key_(key), value_(static_cast<std::int64_t>(value)) {}
  LogField(std::string_view key, std::unsigned_integral auto value)
      : key_(key), value_(static_cast<std::uint64_t>(value)) {}
  LogField(std::string_view key, bool value) : key_(key), value_(value) {}
  LogField(std::string_view key, double value) : key_(key), value_(value) {}
  LogField(std::string_view key, const Secret& value) = delete;

  using Value = std::variant<std::string_view, std::int64_t, std::uint64_t, bool, double>;
  std::string_view key() const { return key_; }
  const Value& value() const { return value_; }

 private:
  std::string_view key_;
  Value value_;
};

class Log {
 public:
  // To stderr; colours only when it is a terminal and NO_COLOR is unset. `clock` outlives the Log.
  Log(Level level, LogFormat format, const Clock& clock);
  // To a sink of the caller's, for tests.
  Log(Level level, LogFormat format, const Clock& clock, spdlog::sink_ptr sink);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool enabled(Level level) const { return level >= level_; }

  // `name` is a literal in snake_case. Costs a comparison when the level is off.
  void event(Level level, std::string_view name, std::initializer_list<LogField> fields = {}) {
    if (enabled(level)) write(level, name, fields);
  }

  // Lines dropped because the reader was too slow.
  std::size_t dropped() const;

 private:
  void write(Level level, std::string_view name, std::initializer_list<LogField> fields);

  const Level level_;
  const LogFormat format_;
  const Clock& clock_;
  std::shared_ptr<spdlog::async_logger> logger_;  // none when the level is off
  // After the logger, so that its thread drains the queue and ends first.
  std::shared_ptr<spdlog::details::thread_pool> pool_;
};

}  // namespace slipstream::telemetry
