#include "contract/form.h"

#include <algorithm>

#include "base/text.h"

namespace slipstream::contract {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != kNone;
  });
}

// RFC 2046 section 5.1.1, without the blank.
bool is_boundary(std::string_view text) {
  return !text.empty() && text.size() <= 70 && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || std::string_view("'()+_,-./:=?").find(c) != kNone;
  });
}

// Takes `; name=value` off `rest`; false if something else stands there. `value` is what stands
// between the quotes, escapes kept, or the token.
bool take_parameter(std::string_view& rest, std::string_view& name, std::string_view& value) {
  if (!rest.starts_with(';')) return false;
  rest = trim(rest.substr(1));
  const std::size_t equals = rest.find('=');
  if (equals == kNone) return false;
  name = rest.substr(0, equals);
  rest.remove_prefix(equals + 1);
  if (!rest.starts_with('"')) {
    value = rest.substr(0, std::min(rest.find_first_of("; \t\""), rest.size()));
    rest = trim(rest.substr(value.size()));
    return is_token(name) && !value.empty();
  }
  std::size_t end = 1;
  while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
  if (end >= rest.size()) return false;
  value = rest.substr(1, end - 1);
  rest = trim(rest.substr(end + 1));
  return is_token(name);
}

// The name in `form-data; name="file"; filename="a.wav"`; empty if it has not exactly one.
std::string_view name_of(std::string_view disposition) {
  const std::size_t semicolon = std::min(disposition.find(';'), disposition.size());
  if (!iequals(trim(disposition.substr(0, semicolon)), "form-data")) return {};
  std::string_view rest = disposition.substr(semicolon);
  std::string_view found;
  while (!rest.empty()) {
    std::string_view name, value;
    if (!take_parameter(rest, name, value) || iequals(name, "name*")) return {};
    if (!iequals(name, "name")) continue;
    if (!found.empty() || value.empty()) return {};
    found = value;
  }
  return found;
}

// The part's name; empty if the header fields are not acceptable.
std::string_view read_head(std::string_view head) {
  std::string_view name;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon == kNone || !is_token(line.substr(0, colon))) return {};
    if (line.find_first_of(std::string_view("\r\n\0", 3)) != kNone) return {};
    if (!iequals(line.substr(0, colon), "content-disposition")) continue;
    if (!name.empty()) return {};
    name = name_of(trim(line.substr(colon + 1)));
    if (name.empty()) return {};
  }
  return name;
}

// Walks from delimiter to delimiter.
class Reader {
 public:
  Reader(std::string_view body, std::string_view boundary) : body_(body), boundary_(boundary) {}

  Result<FormRead, FormError> run(std::vector<FormPart>& parts) {
    if (!body_.starts_with("--") || !body_.substr(2).starts_with(boundary_)) {
      return fail(FormFault::kNoOpening, 0);
    }
    at_ = 2 + boundary_.size();
    while (!body_.substr(at_).starts_with("--")) {
      if (!body_.substr(at_).starts_with("\r\n")) return fail(FormFault::kBadBoundary, at_);
      if (parts.size() == kFormPartsMax) return fail(FormFault::kTooManyParts, at_);
      if (auto fault = part(parts)) return Failure{*fault};
    }
    const std::string_view behind = body_.substr(at_ + 2);
    if (!behind.empty() && behind != "\r\n") return fail(FormFault::kTrailingBytes, at_ + 2);
    return FormRead{};
  }

 private:
  static Failure<FormError> fail(FormFault fault, std::size_t offset) {
    return Failure{FormError{fault, offset}};
  }

  // At the line end behind a delimiter; afterwards behind the next delimiter.
  std::optional<FormError> part(std::vector<FormPart>& parts) {
    const std::size_t begin = at_ + 2;
    const std::size_t head_end = body_.substr(0, begin + kFormHeadMax).find("\r\n\r\n", begin);
    if (head_end == kNone) return FormError{FormFault::kBadHead, begin};
    const std::string_view head = body_.substr(begin, head_end - begin);
    const std::string_view name = read_head(head);
    if (name.empty()) return FormError{FormFault::kBadHead, begin};
    const std::size_t content = head_end + 4;
    const std::size_t line = next_delimiter(content - 1);
    if (line == kNone) return FormError{FormFault::kNoClosing, body_.size()};
    if (line <= content || body_[line - 1] != '\r') {
      return FormError{FormFault::kBadBoundary, line};
    }
    parts.push_back({head, name, body_.substr(content, line - 1 - content)});
    at_ = line + 3 + boundary_.size();
    return std::nullopt;
  }

  // The place of the next line feed that `--` and the boundary follow.
  std::size_t next_delimiter(std::size_t from) const {
    for (std::size_t at = body_.find("\n--", from); at != kNone; at = body_.find("\n--", at + 1)) {
      if (body_.substr(at + 3).starts_with(boundary_)) return at;
    }
    return kNone;
  }

  std::string_view body_;
  std::string_view boundary_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view to_string(FormFault fault) {
  switch (fault) {
    case FormFault::kNoOpening:
      return "no opening boundary";
    case FormFault::kNoClosing:
      return "no closing boundary";
    case FormFault::kBadBoundary:
      return "an ambiguous boundary";
    case FormFault::kTrailingBytes:
      return "trailing bytes";
    case FormFault::kBadHead:
      return "header fields of a part that are malformed or name it not exactly once";
    case FormFault::kTooManyParts:
      return "too many parts";
  }
  return "unknown";
}

std::optional<std::string_view> form_boundary(std::string_view content_type) {
  const std::size_t semicolon = std::min(content_type.find(';'), content_type.size());
  if (!iequals(trim(content_type.substr(0, semicolon)), "multipart/form-data")) return std::nullopt;
  std::string_view rest = content_type.substr(semicolon);
  std::string_view name, value;
  if (!take_parameter(rest, name, value) || !rest.empty()) return std::nullopt;
  if (!iequals(name, "boundary") || !is_boundary(value)) return std::nullopt;
  return value;
}

Result<FormRead, FormError> read_form(std::string_view body, std::string_view boundary,
                                      std::vector<FormPart>& parts) {
  parts.clear();
  return Reader(body, boundary).run(parts);
}

const FormPart* repeated_part(const std::vector<FormPart>& parts) {
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    const auto same = [&](const FormPart& other) { return other.name == part->name; };
    if (!part->name.ends_with("[]") && std::any_of(parts.begin(), part, same)) return &*part;
  }
  return nullptr;
}

}  // namespace slipstream::contract
