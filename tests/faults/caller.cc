#include "faults/caller.h"

#include <stdexcept>

namespace slipstream::faults {

namespace {
constexpr http::Limits kLimits{64 * 1024, 256 * 1024, 200, UINT64_MAX};
}

std::vector<std::string> Answer::chunks() const {
  std::vector<std::string> found;
  std::size_t at = wire.find("\r\n\r\n");
  if (at == std::string::npos) return found;
  for (at += 4;;) {
    const std::size_t line_end = wire.find("\r\n", at);
    if (line_end == std::string::npos) return found;
    const std::size_t size = std::stoul(wire.substr(at, line_end - at), nullptr, 16);
    if (size == 0 || line_end + 2 + size > wire.size()) return found;
    found.push_back(wire.substr(line_end + 2, size));
    at = line_end + 2 + size + 2;
  }
}

Caller::Caller(const Gate& gate, int receive_buffer)
    : wire_(Wire::connect(gate.port(), receive_buffer)),
      parser_(http::Parser::Kind::kResponse, kLimits) {}

Caller& Caller::post(std::string_view body, std::string_view fields, std::string_view path) {
  std::string out = "POST ";
  out += path;
  out += " HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\n";
  out += fields;
  out += "content-length: " + std::to_string(body.size()) + "\r\n\r\n";
  out += body;
  return send(out);
}

Caller& Caller::send(std::string_view bytes) {
  if (!wire_.send(bytes)) throw std::runtime_error("the gateway closed while the caller sent");
  return *this;
}

void Caller::advance() {
  std::string_view input = input_;
  const http::Parser::Step step = parser_.next(input);
  if (step == http::Parser::Step::kBody) answer_.body += parser_.body();  // a view into the input
  answer_.wire += input_.substr(0, input_.size() - input.size());
  input_.erase(0, input_.size() - input.size());
  switch (step) {
    case http::Parser::Step::kHead:
      if (parser_.head().status() < 200) {
        ++answer_.interim;
        return;
      }
      answer_.headed = true;
      answer_.head = parser_.take_head();
      return;
    case http::Parser::Step::kBody:
      return;
    case http::Parser::Step::kComplete:
      answer_.complete = answer_.headed;
      return;
    case http::Parser::Step::kRefused:
      throw std::runtime_error("the gateway's answer is no HTTP: " + answer_.wire);
    case http::Parser::Step::kNeedMore:
      break;
  }
  switch (wire_.read(input_)) {
    case Wire::Got::kBytes:
      return;
    case Wire::Got::kNothing:
      throw std::runtime_error("waited in vain for the gateway; so far: " + answer_.wire);
    case Wire::Got::kFin:
      answer_.end = Answer::End::kFin;
      answer_.complete = parser_.started() && parser_.finish() == http::Parser::Step::kComplete;
      return;
    case Wire::Got::kReset:
      answer_.end = Answer::End::kReset;
      return;
  }
}

const Answer& Caller::wait_head() {
  while (!answer_.headed && !over()) advance();
  if (!answer_.headed) throw std::runtime_error("the gateway left without an answer");
  return answer_;
}

const Answer& Caller::wait_interim() {
  while (answer_.interim == 0 && !answer_.headed && !over()) advance();
  return answer_;
}

const Answer& Caller::wait_body(std::string_view text) {
  while (!answer_.has(text) && !over()) advance();
  if (!answer_.has(text)) throw std::runtime_error("the answer ended without " + std::string(text));
  return answer_;
}

void Caller::take_body(std::string_view bytes) {
  while (answer_.body.size() < bytes.size() && !over()) advance();
  if (!std::string_view(answer_.body).starts_with(bytes))
    throw std::runtime_error("other bytes came than " + std::string(bytes.substr(0, 80)));
  answer_.body.erase(0, bytes.size());
  answer_.wire.clear();
}

Answer Caller::finish() {
  while (!over()) advance();
  return std::exchange(answer_, Answer());
}

Answer::End Caller::wait_end() {
  while (answer_.end == Answer::End::kOpen) advance();
  return answer_.end;
}

}  // namespace slipstream::faults
