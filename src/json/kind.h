// The seven kinds of JSON value, told by their first byte.
#pragma once

#include <optional>
#include <string_view>

namespace slipstream::json {

enum class Kind { kObject, kArray, kString, kNumber, kTrue, kFalse, kNull };

// The kind a value starting with these bytes can only be; nothing if no value starts so.
inline std::optional<Kind> kind_of(std::string_view raw) {
  if (raw.empty()) return std::nullopt;
  switch (raw.front()) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
      return Kind::kTrue;
    case 'f':
      return Kind::kFalse;
    case 'n':
      return Kind::kNull;
    default:
      if (raw.front() == '-' || (raw.front() >= '0' && raw.front() <= '9')) return Kind::kNumber;
      return std::nullopt;
  }
}

}  // namespace slipstream::json
