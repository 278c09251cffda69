#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace slipstream {

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "slipstream: bug: %s does not hold at %s:%d\n", expression, file, line);
  std::abort();
}

}  // namespace slipstream
