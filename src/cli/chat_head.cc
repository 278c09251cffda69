#include "cli/chat_head.h"

#include "http/parser.h"
#include "http/write.h"

namespace slipstream::cli {

Result<http::Head, BadHead> chat_head(const std::string& fields, std::size_t body_bytes) {
  std::string raw = "POST /v1/chat/completions HTTP/1.1\r\nhost: explain\r\n" + fields;
  http::append_field(raw, "content-length", body_bytes);
  http::append_end_of_head(raw);
  http::Parser parser(http::Parser::Kind::kRequest, http::Limits{});
  std::string_view input = raw;
  if (parser.next(input) == http::Parser::Step::kHead) return parser.take_head();
  return Failure{BadHead{std::string(http::sentence_of(parser.refusal()))}};
}

std::string fields_of(const http::Head& head) {
  std::string fields;
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    const auto [name, value] = head.field(i);
    if (name == "host" || name == "content-length" || name == "expect" || name == "connection" ||
        name == "transfer-encoding") {
      continue;
    }
    http::append_field(fields, name, value);
  }
  return fields;
}

}  // namespace slipstream::cli
