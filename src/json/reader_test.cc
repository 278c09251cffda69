#include "json/reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/decimal.h"

namespace slipstream::json {
namespace {

constexpr std::string_view kText =
    R"( { "a" : 1 , "b":"x\"}y", "c":[1, "]" ,{"d":[ ]}, true], "e":{"f":null} } )";

TEST(Reader, FindsMembers) {
  EXPECT_EQ(find(kText, "a"), "1");
  EXPECT_EQ(find(kText, "b"), R"("x\"}y")");
  EXPECT_EQ(find(find(kText, "e"), "f"), "null");
  EXPECT_EQ(find(kText, "f"), "");
  EXPECT_EQ(find("[1]", "a"), "");
}

TEST(Reader, StepsOverElements) {
  std::vector<std::string> seen;
  for (Elements elements(find(kText, "c")); elements.next();) {
    seen.emplace_back(elements.value());
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"1", "\"]\"", R"({"d":[ ]})", "true"}));
  EXPECT_FALSE(Elements("[]").next());
  EXPECT_FALSE(Elements("{}").next());
}

TEST(Reader, DecodesStrings) {
  std::string scratch;
  EXPECT_EQ(text_of(R"("plain")", scratch), "plain");
  EXPECT_EQ(text_of(R"("a\n\u00e9\ud83d\ude00")", scratch), "a\né😀");
  EXPECT_EQ(text_of(R"("\ud800")", scratch), "\xef\xbf\xbd");
  EXPECT_EQ(text_of(R"("\q")", scratch), std::nullopt);
  EXPECT_EQ(text_of("1", scratch), std::nullopt);
}

TEST(Reader, StaysInsideEveryPrefix) {
  for (std::size_t size = 0; size <= kText.size(); ++size) {
    // A buffer of its own, so that a sanitizer sees a read past the end.
    const std::vector<char> copy(kText.begin(), kText.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string_view text(copy.data(), size);
    for (Members members(text); members.next();) {
      for (Elements elements(members.value()); elements.next();) find(elements.value(), "d");
    }
  }
}

TEST(Decimal, ReadsExactIntegers) {
  EXPECT_EQ(exact_integer("0"), 0);
  EXPECT_EQ(exact_integer("-0.0"), 0);
  EXPECT_EQ(exact_integer("4294967295"), 4294967295);
  EXPECT_EQ(exact_integer("70.0e1"), 700);
  EXPECT_EQ(exact_integer("-1"), -1);
  EXPECT_EQ(exact_integer("9223372036854775807"), 9223372036854775807);
  EXPECT_EQ(exact_integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(exact_integer("1e99999999999"), std::nullopt);
  EXPECT_EQ(exact_integer("0.5"), std::nullopt);
}

}  // namespace
}  // namespace slipstream::json
