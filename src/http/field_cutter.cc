#include "http/field_cutter.h"

#include <llhttp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/text.h"
#include "http/syntax.h"

namespace slipstream::http {
namespace {

constexpr std::string_view kCrlf = "\r\n";

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// RFC 3986 "host [: port]" by its characters: no user info, list, path or blank.
constexpr std::array<bool, 256> make_host_table() {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("-._~%!$&'()*+;=:[]"))
    table[static_cast<std::uint8_t>(c)] = true;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kHostTable = make_host_table();

bool is_host(std::string_view value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return kHostTable[static_cast<std::uint8_t>(c)];
  });
}

// True if `name`, of the text's size, is the text: a comparison of words, without a call.
template <std::size_t kSize>
bool is(const char* name, const char (&text)[kSize]) {
  return std::memcmp(name, text, kSize - 1) == 0;
}

// Calls `visit` with each member of a comma-separated list.
template <typename Visit>
void for_each_member(std::string_view list, Visit visit) {
  for (;;) {
    const std::size_t comma = list.find(',');
    visit(trim(list.substr(0, comma)));
    if (comma == list.npos) return;
    list.remove_prefix(comma + 1);
  }
}

Refusal refusal_of(llhttp_errno_t error, Refusal bad_start_line) {
  switch (error) {
    case HPE_INVALID_METHOD:
    case HPE_INVALID_CONSTANT:
    case HPE_INVALID_STATUS:
      return bad_start_line;
    case HPE_INVALID_URL:
      return Refusal::kBadTarget;
    case HPE_INVALID_VERSION:
      return Refusal::kUnsupportedVersion;
    case HPE_INVALID_CONTENT_LENGTH:
    case HPE_UNEXPECTED_CONTENT_LENGTH:
    case HPE_INVALID_TRANSFER_ENCODING:
      return Refusal::kBadFraming;
    default:
      return Refusal::kBadField;
  }
}

}  // namespace

const llhttp_settings_t& FieldCutter::settings() {
  static constexpr llhttp_settings_t kSettings = [] {
    llhttp_settings_t s{};
    s.on_url = [](llhttp_t* parser, const char* at, std::size_t size) {
      static_cast<FieldCutter*>(parser->data)->url_ = {at, size};
      return 0;
    };
    s.on_header_field = [](llhttp_t* parser, const char* at, std::size_t size) {
      auto& cutter = *static_cast<FieldCutter*>(parser->data);
      if (cutter.next_ == cutter.end_) return static_cast<int>(HPE_USER);
      (cutter.next_++)->name = cutter.span(at, size);
      return 0;
    };
    // Stops behind the head: body, upgrade and the next message are none of llhttp's business.
    s.on_headers_complete = [](llhttp_t*) -> int { return HPE_PAUSED; };
    return s;
  }();
  return kSettings;
}

FieldCutter::FieldCutter(Head::Data& head, std::size_t field_lines, Of of)
    : head_(head), bytes_(head.bytes.data()), of_(of) {
  head.fields.resize(field_lines);
  next_ = head.fields.data();
  end_ = next_ + field_lines;
}

Refusal FieldCutter::run() {
  const bool request = of_ == Of::kRequest;
  llhttp_t parser;
  llhttp_init(&parser, request ? HTTP_REQUEST : HTTP_RESPONSE, &settings());
  parser.data = this;
  const llhttp_errno_t error = llhttp_execute(&parser, bytes_, head_.bytes.size());
  if (error != HPE_PAUSED) {
    return refusal_of(error, request ? Refusal::kBadRequestLine : Refusal::kBadStatusLine);
  }
  Refusal refusal = cut_fields();
  if (refusal == Refusal::kNone) refusal = find_framing();
  if (refusal == Refusal::kNone && !agrees(parser)) refusal = Refusal::kBadFraming;
  return refusal;
}

void FieldCutter::note_connection(std::string_view value) {
  for_each_member(value, [&](std::string_view member) {
    said_.close |= iequals(member, "close");
    said_.keep_alive |= iequals(member, "keep-alive");
  });
}

[[gnu::always_inline]] inline void FieldCutter::note(const char* name, std::size_t size,
                                                     std::string_view value) {
  switch (size) {
    case 4:
      if (is(name, "host")) said_.host = value, ++said_.hosts;
      break;
    case 6:
      if (is(name, "expect")) said_.expects_continue |= iequals(value, "100-continue");
      break;
    case 10:
      if (is(name, "connection")) note_connection(value);
      break;
    case 14:
      if (is(name, "content-length")) said_.length = value, ++said_.lengths;
      break;
    case 17:
      if (is(name, "transfer-encoding")) said_.coding = value, ++said_.codings;
      break;
    default:
      break;
  }
}

// llhttp says where the names are. Each must begin a line, and there must be as many as lines: so
// every line is one field, and its value is what stands between its colon and its CRLF.
Refusal FieldCutter::cut_fields() {
  if (next_ != end_) return Refusal::kBadField;
  char* const bytes = bytes_;  // a local: what is written through a char pointer may change members
  const char* next = bytes + head_.bytes.size() - kCrlf.size();  // line behind the field's own
  Head::FieldSpan* const first = head_.fields.data();
  for (Head::FieldSpan* field = end_; field-- != first;) {
    const std::size_t size = field->name.length;
    char* const name = bytes + field->name.offset;
    const char* value = name + size;
    const char* end = next - kCrlf.size();
    if (name[-1] != '\n' || size == 0 || value >= end || *value != ':') [[unlikely]] {
      return Refusal::kBadField;
    }
    next = name;
    do ++value;
    while (is_blank(*value));  // the CR stops it
    while (is_blank(end[-1]) && end > value) --end;  // the colon stops it
    lower_token(name, size);
    field->value = {static_cast<std::uint32_t>(value - bytes),
                    static_cast<std::uint32_t>(end - value)};
    note(name, size, {value, static_cast<std::size_t>(end - value)});
  }
  return Refusal::kNone;
}

// RFC 9112 sections 3.2 and 6.3, without any of their leniency.
Refusal FieldCutter::find_framing() {
  head_.keep_alive = !said_.close && (head_.minor_version == 1 || said_.keep_alive);
  head_.expects_continue = said_.expects_continue && head_.minor_version == 1;
  if (said_.lengths + said_.codings > 1) return Refusal::kBadFraming;
  if (said_.codings == 1) {
    if (head_.minor_version == 0 || !iequals(said_.coding, "chunked")) return Refusal::kBadFraming;
    head_.framing = Framing::kChunked;
  } else if (said_.lengths == 1) {
    const auto length = parse_decimal(said_.length);
    if (!length) return Refusal::kBadFraming;
    head_.framing = Framing::kLength;
    head_.content_length = *length;
  } else if (of_ == Of::kResponse) {
    head_.framing = Framing::kUntilClose;
  }
  if (of_ == Of::kResponse) return Refusal::kNone;
  if (said_.hosts > 1 || (said_.hosts == 0 && head_.minor_version == 1)) return Refusal::kBadHost;
  return said_.hosts == 1 && !is_host(said_.host) ? Refusal::kBadHost : Refusal::kNone;
}

// llhttp must have seen the same message as we.
bool FieldCutter::agrees(const llhttp_t& parser) const {
  const bool chunked = (parser.flags & F_CHUNKED) != 0;
  const bool length = (parser.flags & F_CONTENT_LENGTH) != 0;
  const bool same_start = of_ == Of::kRequest ? url_.data() == bytes_ + head_.target.offset &&
                                                    url_.size() == head_.target.length
                                              : parser.status_code == head_.status;
  return same_start && chunked == (head_.framing == Framing::kChunked) &&
         length == (head_.framing == Framing::kLength) &&
         (!length || parser.content_length == head_.content_length) && parser.http_major == 1 &&
         parser.http_minor == head_.minor_version;
}

}  // namespace slipstream::http
