// A warm parser takes no memory: this program counts what its thread asks for.
#include <cstdlib>
#include <string>

#include "base/count_allocations.h"
#include "gtest/gtest.h"
#include "http/parser.h"

namespace slipstream::http {
namespace {

TEST(Parser, TakesNoMemoryOnceWarm) {
  const std::string message =
      "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
      "Authorization: Bearer 0123456789\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n0\r\nTrailer-Field: swallowed as well\r\n\r\n";
  Parser parser(Parser::Kind::kRequest, Limits{});
  const auto parse = [&] {
    std::string_view input = message;
    Parser::Step step;
    while ((step = parser.next(input)) != Parser::Step::kComplete) {
      if (step == Parser::Step::kRefused) std::abort();
    }
  };
  parse();
  allocations = 0;
  for (int i = 0; i < 100; ++i) parse();
  EXPECT_EQ(allocations, 0u);
}

}  // namespace
}  // namespace slipstream::http
