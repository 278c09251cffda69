#include "http/write.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace slipstream::http {

namespace {

struct Phrase {
  int status;
  std::string_view text;
};
constexpr auto kPhrases = std::to_array<Phrase>({
    {100, "Continue"},
    {101, "Switching Protocols"},
    {103, "Early Hints"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {424, "Failed Dependency"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
    {529, "Overloaded"},
});
static_assert(std::ranges::is_sorted(kPhrases, {}, &Phrase::status));

}  // namespace

std::string_view reason_phrase(int status) {
  const auto at = std::ranges::lower_bound(kPhrases, status, {}, &Phrase::status);
  return at != kPhrases.end() && at->status == status ? at->text : "Unknown";
}

void append_status_line(std::string& out, int status) {
  if (status == 200) {  // nearly every answer
    out += "HTTP/1.1 200 OK\r\n";
    return;
  }
  out += "HTTP/1.1 ";
  append_decimal(out, static_cast<std::uint64_t>(status));
  out += ' ';
  out += reason_phrase(status);
  out += "\r\n";
}

void append_request_line(std::string& out, std::string_view method, std::string_view target) {
  out += method;
  out += ' ';
  out += target;
  out += " HTTP/1.1\r\n";
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

void append_field(std::string& out, std::string_view name, std::uint64_t value) {
  out += name;
  out += ": ";
  append_decimal(out, value);
  out += "\r\n";
}

void append_end_of_head(std::string& out) {
  out += "\r\n";
}

void append_chunk_head(std::string& out, std::uint64_t size) {
  append_hex(out, size);
  out += "\r\n";
}

}  // namespace slipstream::http
