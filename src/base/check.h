// CHECK states what the programmer believes; it stays on in release builds.
// It is for bugs, never for input. Failing prints the place and aborts.
#pragma once

namespace slipstream {

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace slipstream

#define SLIP_CHECK(expression)         \
  ((expression) ? static_cast<void>(0) \
                : ::slipstream::check_failed(#expression, __FILE__, __LINE__))
