// Reading a multipart form (RFC 7578) part by part. A skimmer for the stub: names without quotes in
// them, no encodings. All views point into the texts given. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipstream::lab {

struct FormPart {
  std::string_view name;
  std::string_view value;
};

// for (FormParts parts(content_type, body); parts.next();) use(parts.part());
class FormParts {
 public:
  // A content type without a boundary, or a body without its delimiters, has no parts.
  FormParts(std::string_view content_type, std::string_view body);
  bool next();
  const FormPart& part() const { return part_; }
  // After next() returned false: the closing delimiter was reached.
  bool whole() const { return whole_; }

 private:
  std::string delimiter_;  // with the line break before it
  std::string_view rest_;  // what follows a delimiter
  FormPart part_;
  bool whole_ = false;
};

}  // namespace slipstream::lab
