// multipart/form-data (RFC 7578, RFC 2046 section 5.1), read so strictly that no two parsers can
// read it differently: what is doubtful is refused.
//
// CRLF line ends only, nothing before the first part and only a line end behind the last, no line
// that merely begins like a delimiter, no folded header fields.
// Pure and bounded; nothing is allocated once `parts` is large enough.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace slipstream::contract {

inline constexpr std::size_t kFormPartsMax = 64;
inline constexpr std::size_t kFormHeadMax = 4096;

struct FormPart {
  std::string_view head;     // its header fields as sent, without the empty line
  std::string_view name;     // as spelled between the quotes; not empty
  std::string_view content;  // its bytes
};

enum class FormFault {
  kNoOpening,    // does not begin with the boundary
  kNoClosing,    // ends without the last boundary
  kBadBoundary,  // a line begins like a boundary and is none, or ends in a bare line feed
  kTrailingBytes,
  kBadHead,  // header fields that are malformed, folded, too long, or without one clear name
  kTooManyParts,
};
std::string_view to_string(FormFault fault);

struct FormError {
  FormFault fault;
  std::size_t offset;  // in the body
};
struct FormRead {};

// The boundary that a Content-Type names; nothing if it is not multipart/form-data with exactly one
// parameter, a boundary of RFC 2046.
std::optional<std::string_view> form_boundary(std::string_view content_type);

// Replaces `parts`, views into `body`, in the order sent. Precondition: `boundary` is from
// form_boundary().
Result<FormRead, FormError> read_form(std::string_view body, std::string_view boundary,
                                      std::vector<FormPart>& parts);

// The first part whose name was there before and is not that of a list ("include[]"); nullptr if
// there is none.
const FormPart* repeated_part(const std::vector<FormPart>& parts);

}  // namespace slipstream::contract
