#include "http/head_reader.h"

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
constexpr std::string_view kVersionPrefix = "HTTP/";
constexpr std::size_t kVersionBytes = 8;  // "HTTP/1.1"
constexpr std::size_t kHeadBytesUsual = 1024;
constexpr std::size_t kFieldsUsual = 16;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "HTTP/1.0" or "HTTP/1.1"; any other digits are a version that we do not speak.
Refusal read_version(std::string_view text, Refusal malformed, int& minor) {
  if (text.size() != kVersionBytes || !text.starts_with(kVersionPrefix) || !is_digit(text[5]) ||
      text[6] != '.' || !is_digit(text[7])) {
    return malformed;
  }
  if (text[5] != '1' || text[7] > '1') return Refusal::kUnsupportedVersion;
  minor = text[7] - '0';
  return Refusal::kNone;
}

// Origin-form only (RFC 9112 section 3.2.1); a fragment never travels.
bool is_origin_form(std::string_view target) {
  return target.starts_with('/') && is_visible(target) && target.find('#') == target.npos;
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

// What the fields say about the connection and the body, before it is judged.
struct Said {
  int hosts = 0;
  int lengths = 0;
  int codings = 0;
  bool close = false;
  bool keep_alive = false;
  bool expects_continue = false;
  std::string_view host;
  std::string_view length;
  std::string_view coding;
};

void note_field(Said& said, Head::Field field) {
  switch (field.name.size()) {
    case 4:
      if (field.name == "host") said.host = field.value, ++said.hosts;
      break;
    case 6:
      if (field.name == "expect") said.expects_continue |= iequals(field.value, "100-continue");
      break;
    case 10:
      if (field.name != "connection") break;
      for_each_member(field.value, [&](std::string_view member) {
        said.close |= iequals(member, "close");
        said.keep_alive |= iequals(member, "keep-alive");
      });
      break;
    case 14:
      if (field.name == "content-length") said.length = field.value, ++said.lengths;
      break;
    case 17:
      if (field.name == "transfer-encoding") said.coding = field.value, ++said.codings;
      break;
    default:
      break;
  }
}

// Stops llhttp behind the head: body, upgrade and the next message are none of its business.
int stop_after_head(llhttp_t*) {
  return HPE_PAUSED;
}

const llhttp_settings_t& head_only_settings() {
  static const llhttp_settings_t kSettings = [] {
    llhttp_settings_t settings;
    llhttp_settings_init(&settings);
    settings.on_headers_complete = stop_after_head;
    return settings;
  }();
  return kSettings;
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

bool is_field_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == line.npos || !is_field_text(line.substr(colon + 1))) return false;
  const std::string_view name = line.substr(0, colon);
  return std::all_of(name.begin(), name.end(), [](char c) { return lower_token(c) != 0; });
}

HeadReader::HeadReader(Kind kind, const Limits& limits)
    : kind_(kind),
      section_(kind == Kind::kRequest ? Section::Kind::kRequestHead : Section::Kind::kResponseHead,
               limits) {}

HeadReader::Step HeadReader::read(std::string_view& input, Head& head) {
  if (head.bytes_.capacity() < kHeadBytesUsual) {  // also keeps the bytes out of the Head itself,
    head.bytes_.reserve(kHeadBytesUsual);          // so that views survive its moves
    head.fields_.reserve(kFieldsUsual);
  }
  switch (section_.read(input, head.bytes_)) {
    case Section::Step::kNeedMore:
      return Step::kNeedMore;
    case Section::Step::kRefused:
      refusal_ = section_.refusal();
      return Step::kRefused;
    case Section::Step::kEnd:
      break;
  }
  section_.reset();
  refusal_ = parse(head);
  return refusal_ == Refusal::kNone ? Step::kHead : Step::kRefused;
}

// `head.bytes_` is a whole section: every LF in it stands behind a CR, no line is folded.
Refusal HeadReader::parse(Head& head) const {
  const std::size_t line_end = head.bytes_.find('\n') - 1;
  const auto line = std::string_view(head.bytes_).substr(0, line_end);
  Refusal refusal =
      kind_ == Kind::kRequest ? cut_request_line(head, line) : cut_status_line(head, line);
  if (refusal == Refusal::kNone) refusal = cut_fields(head, line_end + kCrlf.size());
  if (refusal == Refusal::kNone) refusal = find_framing(head);
  if (refusal == Refusal::kNone) refusal = ask_llhttp(head);
  return refusal;
}

Refusal HeadReader::cut_request_line(Head& head, std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == line.npos || first == last) return Refusal::kBadRequestLine;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const Refusal version =
      read_version(line.substr(last + 1), Refusal::kBadRequestLine, head.minor_version_);
  if (version != Refusal::kNone) return version;
  if (method == "CONNECT" || method == "TRACE") return Refusal::kMethodNotAllowed;
  if (!is_origin_form(target)) return Refusal::kBadTarget;
  head.method_ = {0, static_cast<std::uint32_t>(method.size())};
  head.target_ = {static_cast<std::uint32_t>(first + 1), static_cast<std::uint32_t>(target.size())};
  return Refusal::kNone;
}

Refusal HeadReader::cut_status_line(Head& head, std::string_view line) {
  const Refusal version =
      read_version(line.substr(0, kVersionBytes), Refusal::kBadStatusLine, head.minor_version_);
  if (version != Refusal::kNone) return version;
  const std::string_view rest = line.substr(kVersionBytes);  // " 200" and maybe " reason"
  if (rest.size() < 4 || rest[0] != ' ' || rest[1] < '1' || rest[1] > '5' || !is_digit(rest[2]) ||
      !is_digit(rest[3]) || (rest.size() > 4 && rest[4] != ' ') || !is_field_text(rest)) {
    return Refusal::kBadStatusLine;
  }
  head.status_ = (rest[1] - '0') * 100 + (rest[2] - '0') * 10 + (rest[3] - '0');
  // We never ask for another protocol; what follows a 101 would not be HTTP.
  return head.status_ == 101 ? Refusal::kBadStatusLine : Refusal::kNone;
}

// Cuts the lines from `offset` on into fields, lower-casing names in place. Plain pointers: a store
// through char would make the compiler read the string's own fields again for every byte.
Refusal HeadReader::cut_fields(Head& head, std::size_t offset) {
  char* const bytes = head.bytes_.data();
  char* const end = bytes + head.bytes_.size() - kCrlf.size();
  const auto span = [bytes](const char* from, std::size_t size) {
    return Head::Span{static_cast<std::uint32_t>(from - bytes), static_cast<std::uint32_t>(size)};
  };
  for (char* at = bytes + offset; at < end;) {
    char* const name = at;
    for (char lower; (lower = lower_token(*at)) != 0; ++at) *at = lower;
    if (*at != ':' || at == name) return Refusal::kBadField;
    auto* const lf = static_cast<char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const std::string_view raw(at + 1, static_cast<std::size_t>(lf - at) - kCrlf.size());
    if (!is_field_text(raw)) return Refusal::kBadField;
    const std::string_view value = trim(raw);
    head.fields_.push_back(
        {span(name, static_cast<std::size_t>(at - name)), span(value.data(), value.size())});
    at = lf + 1;
  }
  return Refusal::kNone;
}

// RFC 9112 sections 3.2 and 6.3, without any of their leniency.
Refusal HeadReader::find_framing(Head& head) const {
  Said said;
  for (std::size_t i = 0; i < head.field_count(); ++i) note_field(said, head.field(i));

  head.keep_alive_ = !said.close && (head.minor_version_ == 1 || said.keep_alive);
  head.expects_continue_ = said.expects_continue && head.minor_version_ == 1;
  if (said.lengths + said.codings > 1) return Refusal::kBadFraming;
  if (said.codings == 1) {
    if (head.minor_version_ == 0 || !iequals(said.coding, "chunked")) return Refusal::kBadFraming;
    head.framing_ = Framing::kChunked;
  } else if (said.lengths == 1) {
    const auto length = parse_decimal(said.length);
    if (!length) return Refusal::kBadFraming;
    head.framing_ = Framing::kLength;
    head.content_length_ = *length;
  } else if (kind_ == Kind::kResponse) {
    head.framing_ = Framing::kUntilClose;
  }
  if (kind_ == Kind::kResponse) return Refusal::kNone;
  if (said.hosts > 1 || (said.hosts == 0 && head.minor_version_ == 1)) return Refusal::kBadHost;
  return said.hosts == 1 && !is_host(said.host) ? Refusal::kBadHost : Refusal::kNone;
}

// A second opinion from a parser that much of the world uses; it must see the same body.
Refusal HeadReader::ask_llhttp(const Head& head) const {
  llhttp_t parser;
  llhttp_init(&parser, kind_ == Kind::kRequest ? HTTP_REQUEST : HTTP_RESPONSE,
              &head_only_settings());
  const llhttp_errno_t error = llhttp_execute(&parser, head.bytes_.data(), head.bytes_.size());
  if (error != HPE_PAUSED) {
    return refusal_of(error,
                      kind_ == Kind::kRequest ? Refusal::kBadRequestLine : Refusal::kBadStatusLine);
  }
  const bool chunked = (parser.flags & F_CHUNKED) != 0;
  const bool length = (parser.flags & F_CONTENT_LENGTH) != 0;
  const bool agreed = chunked == (head.framing_ == Framing::kChunked) &&
                      length == (head.framing_ == Framing::kLength) &&
                      (!length || parser.content_length == head.content_length_);
  return agreed ? Refusal::kNone : Refusal::kBadFraming;
}

}  // namespace slipstream::http
