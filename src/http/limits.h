// Bounds of one message. Plain values, constant after configuration.
#pragma once

#include <cstddef>
#include <cstdint>

namespace slipstream::http {

struct Limits {
  std::size_t line_bytes_max = 8 * 1024;   // start line with its CRLF
  std::size_t head_bytes_max = 32 * 1024;  // start line and fields; the trailer section on its own
  std::size_t fields_max = 100;
  std::uint64_t body_bytes_max = 16 * 1024 * 1024;  // decoded bytes; UINT64_MAX = no limit
};

}  // namespace slipstream::http
