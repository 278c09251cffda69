#include "telemetry/log_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace slipstream::telemetry {
namespace {

bool is_plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x20 && c < 0x7f && c != '"' && c != '=' && c != '\\';
  });
}

void append_quoted(std::string& out, LogFormat format, std::string_view text) {
  // In JSON a backslash of our own must itself be escaped.
  const std::string_view hex_escape = format == LogFormat::kJson ? "\\\\x" : "\\x";
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        out.append(1, '\\').append(1, c);
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (c >= 0x20 && c < 0x7f) {
          out += c;
        } else {
          out += hex_escape;
          fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned char>(c));
        }
    }
  }
  out += '"';
}

struct ValueWriter {
  std::string& out;
  LogFormat format;

  void operator()(std::string_view text) const {
    std::string cut;
    if (text.size() > kLogValueBytesMax) {
      cut.append(text.substr(0, kLogValueBytesMax)).append("...");
      text = cut;
    }
    if (format == LogFormat::kText && is_plain(text)) {
      out += text;
    } else {
      append_quoted(out, format, text);
    }
  }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(double value) const {
    // JSON has no word for these.
    if (!std::isfinite(value)) return (*this)(std::string_view("not finite"));
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
  void operator()(std::integral auto value) const {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
};

}  // namespace

void append_line(std::string& out, LogFormat format, std::string_view name,
                 std::initializer_list<LogField> fields) {
  const bool json = format == LogFormat::kJson;
  if (json) out.append("\"event\":\"").append(name).append("\"");
  if (!json) out.append(name);
  for (const LogField& field : fields) {
    if (json) out.append(",\"").append(field.key()).append("\":");
    if (!json) out.append(" ").append(field.key()).append("=");
    std::visit(ValueWriter{out, format}, field.value());
  }
}

}  // namespace slipstream::telemetry
