#include "lab/answer.h"

#include "base/text.h"
#include "json/escape.h"
#include "lab/token.h"

namespace slipstream::lab {

namespace {

constexpr std::string_view kCreated = R"(","created":1700000000,"model":)";

std::string prefix(std::string_view id, std::uint64_t call, std::string_view object,
                   std::string_view model) {
  std::string out = R"({"id":")";
  out += id;
  append_decimal(out, call);
  out += R"(","object":")";
  out += object;
  out += kCreated;
  json::append_quoted(out, model);
  out += R"(,"choices":[)";
  return out;
}

// Appends tokens [0, count) of a call: characters that need no escape in JSON.
void append_text(std::string& out, std::uint64_t call, int count, int bytes) {
  for (int i = 0; i < count; ++i) append_token(out, {call, static_cast<std::uint64_t>(i)}, bytes);
}

std::string_view error_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 429:
      return "rate_limit_error";
    default:
      return status < 500 ? "invalid_request_error" : "server_error";
  }
}

}  // namespace

AnswerWriter::AnswerWriter(const StubRequest& request, std::uint64_t call, int tokens,
                           int token_bytes)
    : surface_(request.surface),
      call_(call),
      choices_(request.choices),
      tokens_(tokens),
      token_bytes_(token_bytes),
      prompt_tokens_(request.prompt_tokens),
      finish_(request.max_tokens == tokens ? "length" : "stop") {
  const bool chat = surface_ == Surface::kChat;
  const std::string_view id = chat ? "chatcmpl-" : "cmpl-";
  event_prefix_ = "data: " + prefix(id, call, chat ? "chat.completion.chunk" : "text_completion",
                                    request.model);
  whole_prefix_ = prefix(id, call, chat ? "chat.completion" : "text_completion", request.model);
}

void AnswerWriter::append_token_events(std::string& out, int token) const {
  for (int index = 0; index < choices_; ++index) {
    out += event_prefix_;
    out += R"({"index":)";
    append_decimal(out, static_cast<std::uint64_t>(index));
    if (surface_ == Surface::kChat) {
      out +=
          token == 0 ? R"(,"delta":{"role":"assistant","content":")" : R"(,"delta":{"content":")";
    } else {
      out += R"(,"text":")";
    }
    append_token(out, {call_, static_cast<std::uint64_t>(token)}, token_bytes_);
    out += surface_ == Surface::kChat ? R"("},"finish_reason":null}]})"
                                      : R"(","finish_reason":null}]})";
    out += "\n\n";
  }
}

void AnswerWriter::append_finish_events(std::string& out) const {
  for (int index = 0; index < choices_; ++index) {
    out += event_prefix_;
    out += R"({"index":)";
    append_decimal(out, static_cast<std::uint64_t>(index));
    out += surface_ == Surface::kChat ? R"(,"delta":{},"finish_reason":")"
                                      : R"(,"text":"","finish_reason":")";
    out += finish_;
    out += "\"}]}\n\n";
  }
}

void AnswerWriter::append_usage_event(std::string& out) const {
  out += event_prefix_;
  out += ']';
  append_usage(out);
  out += "}\n\n";
}

void AnswerWriter::append_usage(std::string& out) const {
  out += R"(,"usage":{"prompt_tokens":)";
  append_decimal(out, prompt_tokens_);
  out += R"(,"completion_tokens":)";
  append_decimal(out, tokens_total());
  out += R"(,"total_tokens":)";
  append_decimal(out, prompt_tokens_ + tokens_total());
  out += '}';
}

std::string AnswerWriter::whole() const {
  std::string out = whole_prefix_;
  for (int index = 0; index < choices_; ++index) {
    if (index) out += ',';
    out += R"({"index":)";
    append_decimal(out, static_cast<std::uint64_t>(index));
    out += surface_ == Surface::kChat ? R"(,"message":{"role":"assistant","content":")"
                                      : R"(,"text":")";
    append_text(out, call_, tokens_, token_bytes_);
    out += surface_ == Surface::kChat ? R"("},"finish_reason":")" : R"(","finish_reason":")";
    out += finish_;
    out += "\"}";
  }
  out += ']';
  append_usage(out);
  out += '}';
  return out;
}

std::string error_object(int status, std::string_view message) {
  std::string out = R"({"error":{"message":)";
  json::append_quoted(out, message);
  out += R"(,"type":")";
  out += error_type(status);
  out += R"(","param":null,"code":)";
  append_decimal(out, static_cast<std::uint64_t>(status));
  out += "}}";
  return out;
}

std::string models_answer(std::string_view model) {
  std::string out = R"({"object":"list","data":[{"id":)";
  json::append_quoted(out, model);
  out += R"(,"object":"model","created":1700000000,"owned_by":"slipstream"}]})";
  return out;
}

}  // namespace slipstream::lab
