#include "sim/gateway_log.h"

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include "base/text.h"

namespace slipstream::sim {

namespace {

// "<milliseconds> <event and fields>": the virtual clock's calendar starts with the world.
class MemorySink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit MemorySink(std::shared_ptr<std::vector<std::string>> lines) : lines_(std::move(lines)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const auto ms = std::chrono::duration_cast<milliseconds>(message.time.time_since_epoch());
    std::string line = std::to_string(ms.count()) + " ";
    line.append(message.payload.data(), message.payload.size());
    lines_->push_back(std::move(line));
  }
  void flush_() override {}

 private:
  std::shared_ptr<std::vector<std::string>> lines_;
};

}  // namespace

std::string LogLine::field(std::string_view key) const {
  const std::string wanted = " " + std::string(key) + "=";
  const std::size_t at = text.find(wanted);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + wanted.size();
  return text.substr(begin, text.find(' ', begin) - begin);
}

std::unique_ptr<telemetry::Log> LogLines::open(const Clock& clock) {
  return std::make_unique<telemetry::Log>(telemetry::Level::kDebug, telemetry::LogFormat::kText,
                                          clock, std::make_shared<MemorySink>(lines_));
}

std::vector<LogLine> LogLines::parsed() const {
  std::vector<LogLine> parsed;
  for (const std::string& line : *lines_) {
    const std::size_t space = line.find(' ');
    const std::size_t end = std::min(line.find(' ', space + 1), line.size());
    parsed.push_back(
        {static_cast<long long>(parse_decimal(std::string_view(line).substr(0, space)).value_or(0)),
         line.substr(space + 1, end - space - 1), line.substr(end)});
  }
  return parsed;
}

}  // namespace slipstream::sim
