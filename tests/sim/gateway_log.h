// The gateway's own log as evidence: who led, who joined, how everything ended, in order.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "telemetry/log.h"

namespace slipstream::sim {

struct LogLine {
  long long at_ms = 0;
  std::string name;
  std::string text;  // key=value pairs

  std::string field(std::string_view key) const;  // empty if absent
};

// Lines in memory. Read them after the Log was destroyed: its thread writes.
class LogLines {
 public:
  std::unique_ptr<telemetry::Log> open(const Clock& clock);
  std::vector<LogLine> parsed() const;

 private:
  std::shared_ptr<std::vector<std::string>> lines_ = std::make_shared<std::vector<std::string>>();
};

}  // namespace slipstream::sim
