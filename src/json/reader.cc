#include "json/reader.h"

#include <algorithm>

#include "json/escape.h"
#include "json/scan.h"

namespace slipstream::json {
namespace {

constexpr std::string_view kSpace = " \n\r\t";

void skip_space(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kSpace), rest.size()));
}

// Takes one value off the front of `rest`; empty if none stands there.
std::string_view take_value(std::string_view& rest) {
  const char* const start = rest.data();
  const char* const end = start + rest.size();
  const char* p = start;
  int depth = 0;
  do {
    if (p == end) return {};
    const char c = *p;
    if (c == '"') {
      p = skip_string(p, end);
      if (p == nullptr) return {};
      if (depth == 0) break;
      continue;
    }
    if (depth == 0 && c != '{' && c != '[') {  // a number or a literal
      while (p != end && std::string_view(",]} \n\r\t:\"{[").find(*p) == std::string_view::npos)
        ++p;
      break;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++p;
  } while (depth > 0);
  const auto size = static_cast<std::size_t>(p - start);
  const std::string_view value = rest.substr(0, size);
  rest.remove_prefix(size);
  return value;
}

std::string_view inside(std::string_view text, char open) {
  skip_space(text);
  if (text.empty() || text.front() != open) return {};
  return text.substr(1);
}

// Behind a value: steps over the comma; anything else ends the iteration.
void step(std::string_view& rest) {
  skip_space(rest);
  if (!rest.empty() && rest.front() == ',') {
    rest.remove_prefix(1);
  } else {
    rest = {};
  }
}

}  // namespace

Members::Members(std::string_view object) : rest_(inside(object, '{')) {}

bool Members::next() {
  skip_space(rest_);
  if (rest_.empty() || rest_.front() != '"') return false;
  const std::string_view quoted = take_value(rest_);
  skip_space(rest_);
  if (quoted.empty() || rest_.empty() || rest_.front() != ':') return false;
  name_ = quoted.substr(1, quoted.size() - 2);
  rest_.remove_prefix(1);
  skip_space(rest_);
  value_ = take_value(rest_);
  step(rest_);
  return !value_.empty();
}

Elements::Elements(std::string_view array) : rest_(inside(array, '[')) {}

bool Elements::next() {
  skip_space(rest_);
  value_ = take_value(rest_);
  step(rest_);
  return !value_.empty();
}

const char* Cursor::behind_string(const char* p, const char* end) {
  const char* const behind = skip_string(p, end);
  return behind != nullptr ? behind : p;
}

const char* Cursor::behind_other(const char* p, const char* end) {
  if (p == end || (*p != '{' && *p != '[')) return skip_scalar(p, end);
  const char* const start = p;
  char closers[kDepthMax];
  std::size_t depth = 0;
  for (; p < end; p = find_mark(p, end)) {
    const char c = *p;
    if (c == '"') {
      p = skip_string(p, end);
      if (p == nullptr) return start;
      continue;
    }
    ++p;
    if (c == '{' || c == '[') {
      if (depth == kDepthMax) return start;
      closers[depth++] = c == '{' ? '}' : ']';
    } else if (closers[--depth] != c) {
      return start;
    } else if (depth == 0) {
      return p;
    }
  }
  return start;
}

char Cursor::peek_behind_space() {
  while (p_ < end_ && kSpace.find(*p_) != std::string_view::npos) ++p_;
  return p_ < end_ ? *p_ : '\0';
}

std::string_view Cursor::take_other_name() {
  const std::string_view raw(p_, behind_string(p_, end_));
  const auto name = text_of(raw, *scratch_);
  p_ += raw.size();
  return name && eat(':') ? *name : std::string_view();
}

std::string_view find(std::string_view object, std::string_view name) {
  for (Members members(object); members.next();) {
    if (members.name() == name) return members.value();
  }
  return {};
}

std::optional<std::string_view> text_of(std::string_view raw, std::string& scratch) {
  if (raw.size() < 2 || raw.front() != '"' || raw.back() != '"') return std::nullopt;
  std::string_view rest = raw.substr(1, raw.size() - 2);
  std::size_t backslash = rest.find('\\');
  if (backslash == std::string_view::npos) return rest;
  scratch.clear();
  for (; backslash != std::string_view::npos; backslash = rest.find('\\')) {
    scratch.append(rest.substr(0, backslash));
    rest.remove_prefix(backslash);
    const Escape escape = decode_escape(rest);
    if (escape.length == 0) return std::nullopt;
    const bool lone = escape.code_point >= 0xd800 && escape.code_point <= 0xdfff;
    char bytes[4];
    scratch.append(bytes, put_utf8(bytes, lone ? 0xfffd : escape.code_point));
    rest.remove_prefix(escape.length);
  }
  scratch.append(rest);
  return scratch;
}

}  // namespace slipstream::json
