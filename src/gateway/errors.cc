#include "gateway/errors.h"

#include "json/escape.h"
#include "json/reader.h"

namespace slipstream::gateway {

using contract::Dialect;
using contract::StreamForm;
using flight::AnswerHead;

namespace {

std::string_view error_type(int status, Dialect dialect) {
  if (status == 429) return "rate_limit_error";
  if (status == 401) return "authentication_error";
  if (status == 403) return "permission_error";
  if (dialect == Dialect::kAnthropic) {
    if (status == 404) return "not_found_error";
    if (status == 413) return "request_too_large";
    if (status == 503 || status == 529) return "overloaded_error";
    if (status >= 500) return "api_error";
  }
  return status < 500 ? "invalid_request_error" : "upstream_error";
}

// A line break may stand between JSON tokens, never inside a string: a space means the same.
std::string on_one_line(std::string_view json) {
  std::string out(json);
  for (char& c : out) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return out;
}

// OpenAI's libraries raise an event only for a member `error`; the event of Responses has its
// members at the top. Both stand here.
std::string responses_error(std::string_view body) {
  std::string error(json::find(body, "error"));
  if (!error.starts_with('{') && !error.starts_with('"')) {
    error.clear();
    json::append_quoted(error, body);
  }
  std::string_view message = json::find(error, "message");
  if (message.empty()) message = error.starts_with('"') ? std::string_view(error) : "null";
  const std::string_view code = json::find(error, "code");
  std::string out = R"({"type":"error","code":)";
  out += code.empty() ? "null" : code;
  out += R"(,"message":)";
  out += message;
  out += R"(,"param":null,"error":)";
  out += error;
  return out + '}';
}

}  // namespace

std::string error_body(int status, std::string_view message, std::string_view code,
                       Dialect dialect) {
  std::string quoted;
  json::append_quoted(quoted, message);
  const std::string type(error_type(status, dialect));
  switch (dialect) {
    case Dialect::kOpenAi:
      return R"({"error":{"message":)" + quoted + R"(,"type":")" + type +
             R"(","param":null,"code":")" + std::string(code) + "\"}}";
    case Dialect::kAnthropic:
      return R"({"type":"error","error":{"type":")" + type + R"(","message":)" + quoted + "}}";
    case Dialect::kOllama:
      return R"({"error":)" + quoted + "}";
  }
  return {};
}

std::string error_body_of_event(std::string_view data, Dialect dialect) {
  if (dialect == Dialect::kOllama || !json::find(data, "error").empty()) return std::string(data);
  std::string_view error = json::find(json::find(data, "response"), "error");  // response.failed
  if (error.empty()) error = data;
  if (!error.starts_with('{')) return std::string(data);
  const std::string_view open =
      dialect == Dialect::kAnthropic ? R"({"type":"error","error":)" : R"({"error":)";
  return std::string(open) + std::string(error) + '}';
}

std::string error_event(std::string_view body, AnswerHead::Form form, contract::Surface surface) {
  if (form == AnswerHead::Form::kPlain) return {};
  const std::string line = on_one_line(body);
  if (form == AnswerHead::Form::kLines) return line + '\n';
  const contract::SurfaceRow& row = contract::row_of(surface);
  if (row.streams != StreamForm::kNamedEvents) return "data: " + line + "\n\n";
  const bool responses = row.dialect == Dialect::kOpenAi;
  return "event: error\ndata: " + (responses ? responses_error(line) : line) + "\n\n";
}

std::string_view keep_alive_event(contract::Surface surface) {
  const contract::SurfaceRow& row = contract::row_of(surface);
  if (row.streams == StreamForm::kNone || row.streams == StreamForm::kLines) return {};
  // What Anthropic itself sends. Elsewhere an event would be one too many.
  return row.dialect == Dialect::kAnthropic ? "event: ping\ndata: {\"type\":\"ping\"}\n\n"
                                            : ": waiting for the upstream\n\n";
}

}  // namespace slipstream::gateway
