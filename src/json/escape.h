// String escapes, both ways, and the one way this project writes a string.
//
// Written form: everything raw except the quote, the backslash and bytes below 0x20; those as
// \" \\ \b \t \n \f \r where JSON has a short form, else \u00xx with lower-case digits.
// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace slipstream::json {

struct Escape {
  std::uint32_t code_point = 0;  // D800..DFFF: a lone surrogate, for the caller to judge
  std::size_t length = 0;        // source bytes; 0 if this is no JSON escape
};
// Decodes the escape at the front of `text` (a surrogate pair is one). Precondition: it starts
// with a backslash.
Escape decode_escape(std::string_view text);

// Write to `out` (4 or 6 spare bytes) and return the new end.
char* put_utf8(char* out, std::uint32_t code_point);
char* put_escaped(char* out, char stop);  // precondition: is_stop(stop)

// Appends `text` as a JSON string with its quotes. Bytes above 0x7f pass as they are, so the result
// is valid JSON if `text` is valid UTF-8.
void append_quoted(std::string& out, std::string_view text);

}  // namespace slipstream::json
