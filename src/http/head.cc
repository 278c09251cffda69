#include "http/head.h"

#include <cstring>

namespace slipstream::http {

const Head::Data Head::kEmpty;

std::string_view Head::query() const {
  const std::string_view whole = target();
  const std::size_t mark = whole.find('?');
  return mark == std::string_view::npos ? std::string_view() : whole.substr(mark + 1);
}

const Head::FieldSpan* Head::search(std::string_view lower_name) const {
  const Data& head = data();
  for (const FieldSpan& field : head.fields) {
    if (field.name.length == lower_name.size() &&
        std::memcmp(head.bytes.data() + field.name.offset, lower_name.data(), lower_name.size()) ==
            0) {
      return &field;
    }
  }
  return nullptr;
}

std::string_view Head::find(std::string_view lower_name) const {
  const FieldSpan* const field = search(lower_name);
  return field == nullptr ? std::string_view() : view(field->value);
}

void Head::clear() {
  if (!data_) return;
  Data& head = *data_;
  head.bytes.clear();
  head.fields.clear();
  head.method = {};
  head.target = {};
  head.content_length = 0;
  head.status = 0;
  head.minor_version = 1;
  head.framing = Framing::kNone;
  head.keep_alive = true;
  head.expects_continue = false;
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
