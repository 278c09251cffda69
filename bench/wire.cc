#include "wire.h"

#include <charconv>
#include <cstring>

namespace slipstream::bench {
namespace {

constexpr std::string_view kBefore = "data: {\"id\":\"";
constexpr std::string_view kAfter =
    "\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"stub\",\"choices\":"
    "[{\"index\":0,\"delta\":{\"content\":\"";
constexpr std::string_view kClose = "\"},\"finish_reason\":null}]}\n\n";
static_assert(kBefore.size() == kStampOffset);
static_assert(kBefore.size() + kStampDigits + kAfter.size() + kClose.size() < kEventBytes);

constexpr std::size_t kSerialDigits = 20;

void put_digits(char* to, std::size_t digits, std::uint64_t value) {
  for (std::size_t i = digits; i-- > 0; value /= 10) to[i] = static_cast<char>('0' + value % 10);
}

// Reads a number and the `separator` behind it; false if it is not there.
bool take_number(std::string_view& text, char separator, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (separator == '\0') return true;
  if (text.empty() || text.front() != separator) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<Script> find_script(std::string_view text) {
  constexpr std::string_view kPrefix = "stub-";
  const std::size_t at = text.find(kPrefix);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + kPrefix.size());
  Script script;
  if (!take_number(text, '-', script.delay_ms) || !take_number(text, '-', script.events) ||
      !take_number(text, '\0', script.interval_ms)) {
    return std::nullopt;
  }
  return script;
}

std::string event_template() {
  std::string event(kBefore);
  event.append(kStampDigits, '0').append(kAfter);
  event.append(kEventBytes - event.size() - kClose.size(), 'x').append(kClose);
  return event;
}

void put_stamp(char* event, std::uint64_t send_ns) {
  put_digits(event + kStampOffset, kStampDigits, send_ns);
}

std::uint64_t read_stamp(const char* event) {
  std::uint64_t value = 0;
  std::from_chars(event + kStampOffset, event + kStampOffset + kStampDigits, value);
  return value;
}

std::string_view stream_tail() {
  return "data: {\"id\":\"end\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
         "\"model\":\"stub\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}"
         "\n\n"
         "data: [DONE]\n\n";
}

std::size_t stream_bytes(std::uint64_t events) {
  return static_cast<std::size_t>(events) * kEventBytes + stream_tail().size();
}

std::string_view json_answer() {
  static const std::string answer = [] {
    std::string text =
        "{\"id\":\"chatcmpl-stub\",\"object\":\"chat.completion\",\"created\":1700000000,"
        "\"model\":\"stub\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
        "\"content\":\"";
    text.append(360, 'y');
    text +=
        "\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":200,"
        "\"completion_tokens\":60,\"total_tokens\":260}}";
    return text;
  }();
  return answer;
}

RequestTemplate::RequestTemplate(std::string_view model, std::string_view extra_header) {
  const auto script = find_script(model);
  std::string body = "{\"model\":\"" + std::string(model) +
                     "\",\"messages\":[{\"role\":\"system\",\"content\":\"You are terse.\"},"
                     "{\"role\":\"user\",\"content\":\"request ";
  const std::size_t serial_in_body = body.size();
  body.append(kSerialDigits, '0').append(" ");
  body.append(800, 'p');
  body += "\"}],\"temperature\":0,\"max_tokens\":256";
  if (script && script->events > 0) body += ",\"stream\":true";
  body += "}";
  text_ =
      "POST /v1/chat/completions HTTP/1.1\r\nHost: bench.local\r\n"
      "User-Agent: slipstream-bench\r\nAccept: */*\r\nContent-Type: application/json\r\n";
  text_.append(extra_header);
  text_ += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  serial_at_ = text_.size() + serial_in_body;
  text_ += body;
}

std::string_view RequestTemplate::with(std::uint64_t serial) {
  put_digits(text_.data() + serial_at_, kSerialDigits, serial);
  return text_;
}

}  // namespace slipstream::bench
