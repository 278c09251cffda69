// The head of a request as a gateway would see it, for explaining one that is not on its way.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/head.h"

namespace slipstream::cli {

inline constexpr std::string_view kDefaultPath = "/v1/chat/completions";

struct BadHead {
  std::string message;  // one sentence
};
// `path`: may have a query. `fields`: "name: value\r\n" lines, without Host and framing.
Result<http::Head, BadHead> request_head(std::string_view path, const std::string& fields,
                                         std::size_t body_bytes);
// The path and fields of a request that was sent elsewhere, to POST /explain?path=...
std::string explained_path(const http::Head& head);
std::string fields_of(const http::Head& head);

}  // namespace slipstream::cli
