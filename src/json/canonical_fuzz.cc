// Canonical form under fuzzing: no crash, accepted text is JSON for simdjson too, and the canonical
// form of a canonical form is itself.
#include <simdjson.h>

#include <string>
#include <string_view>

#include "base/check.h"
#include "json/canonical.h"

namespace {

// simdjson refuses integers beyond 64 bits, which are valid JSON.
bool has_long_number(std::string_view text) {
  int run = 0;
  for (const char c : text) {
    run = c >= '0' && c <= '9' ? run + 1 : 0;
    if (run >= 19) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipstream::json;
  static Canonicalizer canonicalizer;
  static simdjson::dom::parser parser;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  std::string once;
  const auto first = canonicalizer.append(text, once);
  if (!first) {
    SLIP_CHECK(first.error().offset <= size);
    SLIP_CHECK(once.empty());
    return 0;
  }
  const auto error = parser.parse(text.data(), text.size()).error();
  SLIP_CHECK(error == simdjson::SUCCESS ||
             (error == simdjson::NUMBER_ERROR && has_long_number(text)));

  std::string twice;
  SLIP_CHECK(canonicalizer.append(once, twice).ok());
  SLIP_CHECK(once == twice);
  return 0;
}
