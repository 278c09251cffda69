#include "sim/exchange_record.h"

#include "base/text.h"

namespace slipstream::sim {

namespace {

std::string number(std::uint64_t value) {
  std::string text;
  append_decimal(text, value);
  return text;
}

std::string chat_body(const Question& question) {
  std::string body = R"({"model":"m","messages":[{"role":"user","content":"p)" +
                     number(question.prompt) + R"(."}])";
  if (!question.sampled) body += R"(,"temperature":0)";
  if (question.streamed) body += R"(,"stream":true)";
  return body + (question.kind == Question::Kind::kBroken ? "" : "}");
}

void append_common(std::string& out, const Question& question) {
  out += "host: gateway.test\r\n";
  if (question.tenant > 0) out += "authorization: " + authorization_of(question.tenant) + "\r\n";
  if (question.wish == Question::Wish::kAlone) out += "x-slipstream-coalesce: off\r\n";
  if (question.wish == Question::Wish::kMaxAge) out += "cache-control: max-age=1\r\n";
  if (question.expect_continue) out += "expect: 100-continue\r\n";
  if (question.last) out += "connection: close\r\n";
  if (question.deadline_ms > 0) {
    out += "x-slipstream-deadline: " + number(question.deadline_ms) + "ms\r\n";
  }
}

}  // namespace

std::string upload_body(std::uint64_t bytes) {
  std::string body;
  for (std::uint64_t i = 0; body.size() < bytes; ++i) body += number(i * 7919) + ";";
  body.resize(bytes);
  return body;
}

std::string authorization_of(std::uint64_t tenant) {
  return tenant == 0 ? std::string() : "Bearer tenant-" + number(tenant);
}

std::string wire_form(const Question& question) {
  const std::string version = question.http10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n";
  std::string out;
  switch (question.kind) {
    case Question::Kind::kGarbage:
      return "GET /v1/models HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n";
    case Question::Kind::kModels:
      out = (question.streamed ? "GET /v1/models?stream" : "GET /v1/models") + version;
      append_common(out, question);
      return out + "\r\n";
    case Question::Kind::kUpload: {
      const std::string body = upload_body(question.upload_bytes);
      out = "POST /v1/files?n=" + number(question.upload_bytes) + version;
      append_common(out, question);
      if (!question.upload_chunked) {
        return out + "content-length: " + number(body.size()) + "\r\n\r\n" + body;
      }
      out += "transfer-encoding: chunked\r\n\r\n";
      std::string size;
      append_hex(size, body.size());
      if (!body.empty()) out += size + "\r\n" + body + "\r\n";
      return out + "0\r\n\r\n";
    }
    case Question::Kind::kChat:
    case Question::Kind::kBroken:
      break;
  }
  const std::string body = chat_body(question);
  out = "POST /v1/chat/completions" + version;
  append_common(out, question);
  out += "content-type: application/json\r\ncontent-length: " + number(body.size()) + "\r\n\r\n";
  return out + body;
}

}  // namespace slipstream::sim
