// The head of a chat request as a gateway would see it, for explaining one that is not on its way.
#pragma once

#include <string>

#include "base/result.h"
#include "http/head.h"

namespace slipstream::cli {

struct BadHead {
  std::string message;  // one sentence
};
// `fields`: "name: value\r\n" lines, without Host and framing.
Result<http::Head, BadHead> chat_head(const std::string& fields, std::size_t body_bytes);
// The fields of a request that was sent elsewhere, such as POST /explain.
std::string fields_of(const http::Head& head);

}  // namespace slipstream::cli
