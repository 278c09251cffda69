// Property: a chunked body decodes to the same bytes, or the same refusal, whole and in pieces.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "http/chunk_decoder.h"

namespace slipstream::http {
namespace {

constexpr Limits kLimits{.line_bytes_max = 64, .head_bytes_max = 128, .fields_max = 4};

struct Decoded {
  std::string body;
  std::size_t bytes = 0;
  Refusal refusal = Refusal::kNone;
  bool operator==(const Decoded&) const = default;
};

Decoded decode(std::string_view text, std::uint32_t seed, std::size_t piece_max) {
  ChunkDecoder decoder(kLimits);
  Decoded out;
  for (std::string_view rest = text; !rest.empty();) {
    seed = seed * 1664525 + 1013904223;
    std::string_view input = rest.substr(0, 1 + (seed >> 8) % piece_max), data;
    rest.remove_prefix(input.size());
    ChunkDecoder::Step step;
    while ((step = decoder.next(input, data, 1000)) == ChunkDecoder::Step::kData) out.body += data;
    out.bytes = text.size() - rest.size() - input.size();
    out.refusal = decoder.refusal();
    if (step == ChunkDecoder::Step::kRefused) out.bytes = 0;
    if (step != ChunkDecoder::Step::kNeedMore) return out;
  }
  return out;
}

}  // namespace
}  // namespace slipstream::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::uint32_t seed = data[0] | data[1] << 8 | data[2] << 16;
  const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
  const auto whole = slipstream::http::decode(text, seed, SIZE_MAX);
  SLIP_CHECK(whole == slipstream::http::decode(text, seed, 7));
  SLIP_CHECK(whole == slipstream::http::decode(text, seed, 1));
  return 0;
}
