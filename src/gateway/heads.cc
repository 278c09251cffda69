#include "gateway/heads.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "contract/headers.h"
#include "http/write.h"

namespace slipstream::gateway {

using contract::StreamForm;
using flight::AnswerHead;

namespace {

// Fields that describe the leader's own call. Prefixes end in '-'.
constexpr std::array<std::string_view, 15> kLeaderOnly = {"set-cookie",
                                                          "x-request-id",
                                                          "request-id",
                                                          "x-ratelimit-",
                                                          "anthropic-ratelimit-",
                                                          "ratelimit-",
                                                          "openai-processing-ms",
                                                          "x-compute-time",
                                                          "cf-ray",
                                                          "x-amzn-requestid",
                                                          "openai-organization",
                                                          "openai-project",
                                                          "anthropic-organization-id",
                                                          "apim-request-id",
                                                          "x-ms-client-request-id"};
// What most heads fit in: buffers of one size serve all of them.
constexpr std::size_t kHeadBytes = 512;
constexpr std::string_view kEventStream = "text/event-stream";
constexpr std::string_view kLineStream = "application/x-ndjson";
constexpr std::uint64_t kRetryAfterMaxSeconds = 300;
// Fields the gateway writes itself.
constexpr std::array<std::string_view, 4> kOwn = {"content-length", "cache-status", "x-slipstream",
                                                  "alt-svc"};

bool is_leader_only(std::string_view name) {
  return std::any_of(kLeaderOnly.begin(), kLeaderOnly.end(), [name](std::string_view entry) {
    return entry.back() == '-' ? name.starts_with(entry) : name == entry;
  });
}

bool is_own(std::string_view name) {
  return std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end();
}

bool named_in_connection(const http::Head& head, std::string_view name) {
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    if (head.field(i).name != "connection") continue;
    for (std::string_view list = head.field(i).value; !list.empty();) {
      const std::size_t comma = std::min(list.find(','), list.size());
      if (iequals(trim(list.substr(0, comma)), name)) return true;
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
  }
  return false;
}

// `lines` are "name: value\r\n".
bool has_line(std::string_view lines, std::string_view name) {
  while (!lines.empty()) {
    if (lines.starts_with(name) && lines.substr(name.size()).starts_with(": ")) return true;
    lines.remove_prefix(std::min(lines.find('\n'), lines.size() - 1) + 1);
  }
  return false;
}

// Delays are sent to each caller anew, with jitter for followers; a date passes as it is.
bool take_retry_after(const http::Head::Field& field, flight::AnswerHead& answer) {
  const bool in_ms = field.name == "retry-after-ms";
  if (!in_ms && field.name != "retry-after") return false;
  const auto value = parse_decimal(field.value);
  if (!value) return false;
  const std::uint64_t ms =
      std::min<std::uint64_t>(*value, kRetryAfterMaxSeconds * 1000) * (in_ms ? 1 : 1000);
  if (in_ms || answer.retry_after_ms == 0)
    answer.retry_after_ms = std::min(ms, kRetryAfterMaxSeconds * 1000);
  return true;
}

std::string_view cache_status(Role role) {
  switch (role) {
    case Role::kLeader:
      return "slipstream; fwd=miss";
    case Role::kFollower:
      return "slipstream; fwd=miss; collapsed";
    case Role::kSolo:
      return "slipstream; fwd=bypass; detail=\"";
  }
  return {};
}

AnswerHead::Form form_of(std::string_view content_type, contract::Surface surface) {
  const auto is = [&](std::string_view type) {
    return iequals(content_type.substr(0, type.size()), type);
  };
  if (contract::row_of(surface).streams == StreamForm::kLines) {
    return is(kLineStream) ? AnswerHead::Form::kLines : AnswerHead::Form::kPlain;
  }
  return is(kEventStream) ? AnswerHead::Form::kEvents : AnswerHead::Form::kPlain;
}

// RFC 9211 section 2: not on answers that the gateway made by itself.
void append_role(std::string& out, const CallerHead& caller) {
  const std::string_view reason = contract::to_string(caller.reason);
  if (!caller.flight_id.empty()) {
    out += "cache-status: ";
    out += cache_status(caller.role);
    if (caller.role == Role::kSolo) {
      out += reason;
      out += '"';
    }
    out += "\r\n";
  }
  out += "x-slipstream: ";
  out += to_string(caller.role);
  if (!caller.flight_id.empty()) {
    out += "; flight=\"";
    out += caller.flight_id;
    out += "\"; reason=";
    out += reason;
  }
  out += "\r\n";
}

}  // namespace

std::string_view to_string(Role role) {
  switch (role) {
    case Role::kLeader:
      return "leader";
    case Role::kFollower:
      return "follower";
    case Role::kSolo:
      return "solo";
  }
  return "unknown";
}

namespace {

// In the field where the caller's client put its own, which is the one the upstream reads.
void append_credential(std::string& out, const http::Head& from, std::string_view credential) {
  if (!from.has("authorization")) {
    for (const std::string_view name : {"x-api-key", "api-key"}) {
      if (from.has(name)) return http::append_field(out, name, credential);
    }
  }
  out += "authorization: Bearer ";
  out += credential;
  out += "\r\n";
}

}  // namespace

void append_upstream_head(std::string& out, const http::Head& from, const UpstreamRequest& with) {
  out.reserve(kHeadBytes);
  out += from.method();
  out += ' ';
  out += with.path_prefix;
  out += from.target();
  out += " HTTP/1.1\r\n";
  http::append_field(out, "host", with.host);
  const bool own = !with.credential.empty();
  contract::for_each_forwarded(from, [&](const http::Head::Field& field) {
    if (own && contract::role_of(field.name) == contract::HeaderRole::kCredential) return;
    if (field.name == with.scope_header) return;
    http::append_field(out, field.name, field.value);
  });
  if (own) append_credential(out, from, with.credential);
  http::append_field(out, "x-request-id", with.request_id);
  if (with.upload == Upload::kLength)
    http::append_field(out, "content-length", with.content_length);
  if (with.upload == Upload::kChunked) http::append_field(out, "transfer-encoding", "chunked");
  http::append_end_of_head(out);
}

flight::AnswerHead answer_head(const http::Head& from, contract::Surface surface) {
  flight::AnswerHead answer;
  answer.status = from.status();
  answer.shared_fields.reserve(128);
  const bool has_connection = from.has("connection");
  for (std::size_t i = 0; i < from.field_count(); ++i) {
    const http::Head::Field field = from.field(i);
    if (http::is_hop_by_hop(field.name) || is_own(field.name)) continue;
    if (has_connection && named_in_connection(from, field.name)) continue;
    if (take_retry_after(field, answer)) continue;
    if (field.name == "x-should-retry" && field.value == "false") {
      answer.retry_discouraged = true;
      continue;
    }
    const bool upstream_id = field.name == "x-request-id" || field.name == "request-id";
    http::append_field(is_leader_only(field.name) ? answer.leader_fields : answer.shared_fields,
                       upstream_id ? "x-upstream-request-id" : field.name, field.value);
  }
  answer.form = form_of(from.find("content-type"), surface);
  return answer;
}

void append_caller_head(std::string& out, const flight::AnswerHead& answer,
                        const CallerHead& caller) {
  out.reserve(kHeadBytes);
  http::append_status_line(out, answer.status);
  out += answer.shared_fields;
  if (caller.role != Role::kFollower) out += answer.leader_fields;
  switch (answer.body) {
    case flight::AnswerHead::Body::kLength:
      http::append_field(out, "content-length", answer.content_length);
      break;
    case flight::AnswerHead::Body::kChunked:
      http::append_field(out, "transfer-encoding", "chunked");
      break;
    case flight::AnswerHead::Body::kNone:
    case flight::AnswerHead::Body::kUntilClose:
      break;
  }
  // The upstream's own word stands: a date, or a "true".
  if (caller.retry_after_ms > 0 && !has_line(answer.shared_fields, "retry-after")) {
    http::append_field(out, "retry-after-ms", caller.retry_after_ms);
    http::append_field(out, "retry-after", (caller.retry_after_ms + 999) / 1000);
  }
  if (answer.retry_discouraged && !has_line(answer.shared_fields, "x-should-retry")) {
    http::append_field(out, "x-should-retry", "false");
  }
  if (!caller.date.empty() && !has_line(answer.shared_fields, "date")) {
    http::append_field(out, "date", caller.date);
  }
  http::append_field(out, "x-request-id", caller.request_id);
  append_role(out, caller);
  out += caller.explanation;
  if (caller.connection == CallerHead::Connection::kClose)
    http::append_field(out, "connection", "close");
  http::append_end_of_head(out);
}

}  // namespace slipstream::gateway
