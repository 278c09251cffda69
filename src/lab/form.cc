#include "lab/form.h"

#include "base/text.h"

namespace slipstream::lab {

namespace {

// The value of `;name=value` or `;name="value"` in a header field, after its first ';'.
std::string_view parameter(std::string_view field, std::string_view name) {
  for (std::size_t at = 0; (at = field.find(';')) != std::string_view::npos;) {
    field.remove_prefix(at + 1);
    const std::string_view setting = trim(field.substr(0, field.find(';')));
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos || !iequals(setting.substr(0, equals), name)) continue;
    std::string_view value = setting.substr(equals + 1);
    if (value.starts_with('"')) value = value.substr(1, value.find('"', 1) - 1);
    return value;
  }
  return {};
}

std::string_view name_of(std::string_view head) {
  constexpr std::string_view kField = "content-disposition:";
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    if (iequals(line.substr(0, kField.size()), kField)) return parameter(line, "name");
    head.remove_prefix(std::min(head.size(), line.size() + 2));
  }
  return {};
}

}  // namespace

FormParts::FormParts(std::string_view content_type, std::string_view body) {
  const std::string_view boundary = parameter(content_type, "boundary");
  if (boundary.empty()) return;
  delimiter_ = "\r\n--" + std::string(boundary);
  const std::string_view first = std::string_view(delimiter_).substr(2);
  if (body.starts_with(first)) rest_ = body.substr(first.size());
}

bool FormParts::next() {
  if (rest_.starts_with("--")) {
    whole_ = true;
    return false;
  }
  const std::size_t head_end = rest_.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return false;
  const std::size_t begin = head_end + 4;
  const std::size_t end = rest_.find(delimiter_, begin);
  if (end == std::string_view::npos) return false;
  part_ = {.name = name_of(rest_.substr(0, head_end)), .value = rest_.substr(begin, end - begin)};
  rest_.remove_prefix(end + delimiter_.size());
  return true;
}

}  // namespace slipstream::lab
