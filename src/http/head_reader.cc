#include "http/head_reader.h"

#include <algorithm>
#include <cstdint>

#include "http/field_cutter.h"
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
  if (!head.data_) {
    head.data_ = std::make_unique<Head::Data>();
    head.data_->bytes.reserve(kHeadBytesUsual);
    head.data_->fields.reserve(kFieldsUsual);
  }
  switch (section_.read(input, head.data_->bytes)) {
    case Section::Step::kNeedMore:
      return Step::kNeedMore;
    case Section::Step::kRefused:
      refusal_ = section_.refusal();
      return Step::kRefused;
    case Section::Step::kEnd:
      break;
  }
  refusal_ = parse(*head.data_);
  section_.reset();
  return refusal_ == Refusal::kNone ? Step::kHead : Step::kRefused;
}

// `head.bytes` is a whole section: every LF in it stands behind a CR, no line is folded.
Refusal HeadReader::parse(Head::Data& head) const {
  const std::string_view line(head.bytes.data(), section_.first_line_bytes() - kCrlf.size());
  const Refusal refusal =
      kind_ == Kind::kRequest ? read_request_line(head, line) : read_status_line(head, line);
  if (refusal != Refusal::kNone) return refusal;
  const auto of = kind_ == Kind::kRequest ? FieldCutter::Of::kRequest : FieldCutter::Of::kResponse;
  return FieldCutter(head, section_.lines() - 1, of).run();
}

Refusal HeadReader::read_request_line(Head::Data& head, std::string_view line) {
  constexpr std::size_t kTailBytes = 1 + kVersionBytes;  // " HTTP/1.1"
  const std::size_t first = line.find(' ');
  const std::size_t last = line.size() - std::min(line.size(), kTailBytes);
  if (first >= last || line[last] != ' ') return Refusal::kBadRequestLine;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const Refusal version =
      read_version(line.substr(last + 1), Refusal::kBadRequestLine, head.minor_version);
  if (version != Refusal::kNone) return version;
  if (method == "CONNECT" || method == "TRACE") return Refusal::kMethodNotAllowed;
  if (!is_origin_form(target)) return Refusal::kBadTarget;
  head.method = {0, static_cast<std::uint32_t>(method.size())};
  head.target = {static_cast<std::uint32_t>(first + 1), static_cast<std::uint32_t>(target.size())};
  return Refusal::kNone;
}

Refusal HeadReader::read_status_line(Head::Data& head, std::string_view line) {
  const Refusal version =
      read_version(line.substr(0, kVersionBytes), Refusal::kBadStatusLine, head.minor_version);
  if (version != Refusal::kNone) return version;
  const std::string_view rest = line.substr(kVersionBytes);  // " 200" and maybe " reason"
  if (rest.size() < 4 || rest[0] != ' ' || rest[1] < '1' || rest[1] > '5' || !is_digit(rest[2]) ||
      !is_digit(rest[3]) || (rest.size() > 4 && rest[4] != ' ') || !is_field_text(rest)) {
    return Refusal::kBadStatusLine;
  }
  head.status = (rest[1] - '0') * 100 + (rest[2] - '0') * 10 + (rest[3] - '0');
  // We never ask for another protocol; what follows a 101 would not be HTTP.
  return head.status == 101 ? Refusal::kBadStatusLine : Refusal::kNone;
}

}  // namespace slipstream::http
