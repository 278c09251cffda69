// Writing HTTP/1.1 heads and chunk framing: appends to a string, never fails.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slipstream::http {

// The reason phrase of a status (RFC 9110 section 15; 529 "Overloaded" as hosted APIs use it).
std::string_view reason_phrase(int status);

void append_status_line(std::string& out, int status);  // "HTTP/1.1 200 OK\r\n"
void append_request_line(std::string& out, std::string_view method, std::string_view target);
// Precondition: name and value come from a parsed Head or are our own constants.
void append_field(std::string& out, std::string_view name, std::string_view value);
void append_field(std::string& out, std::string_view name, std::uint64_t value);
void append_end_of_head(std::string& out);

// "1f4\r\n" before and "\r\n" after the bytes of a chunk; the last chunk is "0\r\n\r\n".
void append_chunk_head(std::string& out, std::uint64_t size);
inline constexpr std::string_view kChunkTail = "\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace slipstream::http
