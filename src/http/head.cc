#include "http/head.h"

namespace slipstream::http {

std::string_view Head::query() const {
  const std::string_view whole = target();
  const std::size_t mark = whole.find('?');
  return mark == std::string_view::npos ? std::string_view() : whole.substr(mark + 1);
}

std::string_view Head::find(std::string_view lower_name) const {
  for (const FieldSpan& field : fields_) {
    if (view(field.name) == lower_name) return view(field.value);
  }
  return {};
}

bool Head::has(std::string_view lower_name) const {
  for (const FieldSpan& field : fields_) {
    if (view(field.name) == lower_name) return true;
  }
  return false;
}

void Head::clear() {
  bytes_.clear();  // both keep their memory for the next message
  fields_.clear();
  method_ = {};
  target_ = {};
  status_ = 0;
  minor_version_ = 1;
  framing_ = Framing::kNone;
  content_length_ = 0;
  keep_alive_ = true;
  expects_continue_ = false;
}

bool is_hop_by_hop(std::string_view lower_name) {
  switch (lower_name.size()) {
    case 2:
      return lower_name == "te";
    case 7:
      return lower_name == "trailer" || lower_name == "upgrade";
    case 10:
      return lower_name == "connection" || lower_name == "keep-alive";
    case 16:
      return lower_name == "proxy-connection";
    case 17:
      return lower_name == "transfer-encoding";
    default:
      return false;
  }
}

}  // namespace slipstream::http
