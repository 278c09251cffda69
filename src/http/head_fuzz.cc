// Properties: a parser says the same about some bytes whole and in any pieces, for both kinds, and
// every field that it lets pass is a lower-case token and field text by our own tables.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "http/syntax.h"
#include "http/transcript.h"

namespace {

using slipstream::http::Limits;
using slipstream::http::Parser;
using slipstream::http::transcribe;

constexpr Limits kLimits{
    .line_bytes_max = 96, .head_bytes_max = 512, .fields_max = 10, .body_bytes_max = 256};

slipstream::http::Transcript run(Parser::Kind kind, std::string_view bytes, std::uint32_t seed,
                                 std::size_t piece_max) {
  Parser parser(kind, kLimits);
  return transcribe(parser, bytes, [&](std::size_t) {
    seed = seed * 1664525 + 1013904223;
    return 1 + (seed >> 8) % piece_max;
  });
}

void check_fields(Parser::Kind kind, std::string_view bytes) {
  Parser parser(kind, kLimits);
  if (parser.next(bytes) != Parser::Step::kHead) return;
  for (std::size_t i = 0; i < parser.head().field_count(); ++i) {
    const auto [name, value] = parser.head().field(i);
    SLIP_CHECK(!name.empty() && slipstream::http::is_field_text(value));
    for (const char c : name) SLIP_CHECK(slipstream::http::lower_token(c) == c);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::uint32_t seed = data[0] | data[1] << 8 | data[2] << 16;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  for (const auto kind : {Parser::Kind::kRequest, Parser::Kind::kResponse}) {
    Parser parser(kind, kLimits);
    const auto whole = transcribe(parser, bytes, [](std::size_t rest) { return rest; });
    SLIP_CHECK(whole == run(kind, bytes, seed, 9));
    SLIP_CHECK(whole == run(kind, bytes, seed, 1));
    check_fields(kind, bytes);
  }
  return 0;
}
