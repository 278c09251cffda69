// The text of one log line, without time and level. Pure.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "telemetry/log.h"

namespace slipstream::telemetry {

// Text: `leader key=3fa9 flight=7`, values with anything but plain printable characters in quotes.
// JSON: `"event":"leader","key":"3fa9","flight":7`, the inner part of an object.
// Bytes outside printable ASCII appear as \xNN in both forms: exact, and harmless in a terminal.
void append_line(std::string& out, LogFormat format, std::string_view name,
                 std::initializer_list<LogField> fields);

}  // namespace slipstream::telemetry
