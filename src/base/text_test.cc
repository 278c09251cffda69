#include "base/text.h"

#include <array>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

TEST(Text, ParsesOnlyWholeUnsignedDecimals) {
  EXPECT_EQ(parse_decimal("0"), 0u);
  EXPECT_EQ(parse_decimal("18446744073709551615"), 18446744073709551615ULL);
  for (const char* bad : {"", " 1", "1 ", "+1", "-1", "1_0", "0x1", "18446744073709551616"}) {
    EXPECT_FALSE(parse_decimal(bad)) << bad;
  }
}

TEST(Text, WritesNumbers) {
  std::string out;
  append_decimal(out, 1234567);
  append_hex(out, 0xbeef);
  EXPECT_EQ(out, "1234567beef");
  EXPECT_EQ(hex(std::string_view("\x00\xff", 2)), "00ff");
}

TEST(Text, SuggestsOnlyNearNames) {
  constexpr std::array<std::string_view, 3> kNames = {"listen", "upstream", "workers"};
  EXPECT_EQ(nearest("upstraem", kNames), "upstream");
  EXPECT_EQ(nearest("lisen", kNames), "listen");
  EXPECT_EQ(nearest("zzzzzzzz", kNames), "");
}

TEST(Text, ComparesWithoutCase) {
  EXPECT_TRUE(iequals("Content-Length", "content-length"));
  EXPECT_FALSE(iequals("a", "ab"));
  EXPECT_EQ(trim(" \t a b \t"), "a b");
}

}  // namespace
}  // namespace slipstream
