#include "telemetry/log.h"

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "telemetry/log_line.h"

namespace slipstream::telemetry {
namespace {

constexpr std::size_t kQueueLines = 8192;
constexpr const char* kTextPattern = "%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v";
constexpr const char* kJsonPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
    case Level::kOff:
      break;
  }
  return spdlog::level::off;
}

spdlog::sink_ptr stderr_sink() {
  const char* no_color = std::getenv("NO_COLOR");
  const bool wanted = (no_color == nullptr || *no_color == '\0') && isatty(STDERR_FILENO) == 1;
  return std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(
      wanted ? spdlog::color_mode::always : spdlog::color_mode::never);
}

}  // namespace

Log::Log(Level level, LogFormat format, const Clock& clock)
    : Log(level, format, clock, level == Level::kOff ? nullptr : stderr_sink()) {}

Log::Log(Level level, LogFormat format, const Clock& clock, spdlog::sink_ptr sink)
    : level_(level), format_(format), clock_(clock) {
  if (level == Level::kOff) return;
  pool_ = std::make_shared<spdlog::details::thread_pool>(kQueueLines, 1);
  logger_ = std::make_shared<spdlog::async_logger>("slipstream", std::move(sink), pool_,
                                                   spdlog::async_overflow_policy::overrun_oldest);
  logger_->set_level(spdlog::level::trace);  // event() has decided already
  logger_->flush_on(spdlog::level::trace);
  logger_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      format == LogFormat::kJson ? kJsonPattern : kTextPattern, spdlog::pattern_time_type::utc));
}

Log::~Log() = default;

std::size_t Log::dropped() const {
  return pool_ ? pool_->overrun_counter() : 0;
}

void Log::write(Level level, std::string_view name, std::initializer_list<LogField> fields) {
  if (!logger_ || level == Level::kOff) return;
  std::string line;
  append_line(line, format_, name, fields);
  logger_->log(clock_.wall_now(), spdlog::source_loc{}, spdlog_level(level), line);
}

}  // namespace slipstream::telemetry
