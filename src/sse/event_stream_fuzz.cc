// Property: events (or lines) and rest are the same whole and in random pieces, and together they
// are the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/check.h"
#include "sse/splitter.h"

namespace slipstream::sse {
namespace {

std::vector<std::string> split(std::string_view stream, std::uint32_t seed, std::size_t piece_max,
                               Splitter::Unit unit) {
  Splitter splitter(4096, unit);
  std::vector<std::string> out;
  Event event;
  while (!stream.empty()) {
    seed = seed * 1664525 + 1013904223;
    std::string_view input = stream.substr(0, 1 + (seed >> 8) % piece_max);
    stream.remove_prefix(input.size());
    Splitter::Step step;
    while ((step = splitter.next(input, event)) == Splitter::Step::kEvent) {
      std::string scratch;
      parse_fields(event.raw, scratch);
      out.emplace_back(event.raw);
      out.emplace_back(event.only_comments ? "#" : "");
    }
    if (step == Splitter::Step::kTooLong) return out;
  }
  if (splitter.finish(event) == Splitter::Step::kEvent) out.emplace_back(event.raw);
  out.emplace_back(splitter.rest());
  return out;
}

void check(std::string_view stream, std::uint32_t seed, Splitter::Unit unit) {
  const std::vector<std::string> whole = split(stream, seed, SIZE_MAX, unit);
  SLIP_CHECK(whole == split(stream, seed, 7, unit));
  SLIP_CHECK(whole == split(stream, seed, 1, unit));
}

}  // namespace
}  // namespace slipstream::sse

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::uint32_t seed = data[0] | data[1] << 8 | data[2] << 16;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 3, size - 3);
  slipstream::sse::check(stream, seed, slipstream::sse::Splitter::Unit::kEvent);
  slipstream::sse::check(stream, seed, slipstream::sse::Splitter::Unit::kLine);
  return 0;
}
