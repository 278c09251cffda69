#include "cli/request_head.h"

#include <algorithm>

#include "base/text.h"
#include "http/parser.h"
#include "http/write.h"

namespace slipstream::cli {

Result<http::Head, BadHead> request_head(std::string_view path, const std::string& fields,
                                         std::size_t body_bytes) {
  const auto is_target = [](char c) { return c > ' ' && c <= '~'; };
  if (!path.starts_with('/') || !std::ranges::all_of(path, is_target))
    return Failure{BadHead{"The path does not start with '/', or holds what no path may."}};
  std::string raw = "POST " + std::string(path) + " HTTP/1.1\r\nhost: explain\r\n" + fields;
  http::append_field(raw, "content-length", body_bytes);
  http::append_end_of_head(raw);
  http::Parser parser(http::Parser::Kind::kRequest, http::Limits{});
  std::string_view input = raw;
  if (parser.next(input) == http::Parser::Step::kHead) return parser.take_head();
  return Failure{BadHead{std::string(http::sentence_of(parser.refusal()))}};
}

std::string explained_path(const http::Head& head) {
  for (std::string_view rest = head.query(); !rest.empty();) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    if (pair.starts_with("path=")) return percent_decoded(pair.substr(5));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
  }
  return std::string(kDefaultPath);
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
