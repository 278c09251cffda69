// JSON numbers as exact decimals: never through a double, so nothing is ever rounded together.
// Pure functions. Precondition of all: `number` matches the JSON number grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipstream::json {

// Bytes by which canonical_decimal may be longer than its source.
inline constexpr std::size_t kDecimalGrowth = 24;

// Writes the canonical form: optional '-', the significant digits without leading or trailing
// zeros, and "e" with the exponent of the last digit unless that is 0. "0", "0.0" and "0e0" give
// "0", "0.70" gives "7e-1", "100" and "1E2" give "1e2". "-0" stays apart from "0" (IEEE 754 tells
// them apart too). An exponent of more than 15 digits keeps its source text: apart, but never
// confused. `out` has number.size() + kDecimalGrowth spare bytes; returns the new end.
char* put_decimal(char* out, std::string_view number);

// False if the number is so large that IEEE 754 binary64 rounds it to infinity.
bool is_finite(std::string_view number);

// The value if it is an integer ("7", "7.0", "70e-1") within 64 bits.
std::optional<std::int64_t> exact_integer(std::string_view number);

}  // namespace slipstream::json
