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

// Walks a text to its leaves, or to `depth` and takes what is deeper whole.
class Leaves {
 public:
  Leaves(std::string_view text, int depth) : cursor_(text, scratch_), depth_(depth) {}
  bool whole() { return value(depth_) && cursor_.at_end(); }
  std::string seen;

 private:
  bool value(int depth) {
    const char first = cursor_.peek();
    if (depth > 0 && first == '[') return cursor_.elements([&] { return value(depth - 1); });
    if (depth > 0 && first == '{') {
      return cursor_.members([&](std::string_view name) {
        seen += std::string(name) + ":";
        return value(depth - 1);
      });
    }
    const std::string_view raw = cursor_.take();
    seen += std::string(raw) + " ";
    return !raw.empty();
  }
  std::string scratch_;
  Cursor cursor_;
  int depth_;
};

TEST(Cursor, PassesOverATextOnce) {
  Leaves deep(kText, 9);
  EXPECT_TRUE(deep.whole());
  EXPECT_EQ(deep.seen, R"(a:1 b:"x\"}y" c:1 "]" d:true e:f:null )");
  Leaves flat(kText, 1);
  EXPECT_TRUE(flat.whole());
  EXPECT_EQ(flat.seen, R"(a:1 b:"x\"}y" c:[1, "]" ,{"d":[ ]}, true] e:{"f":null} )");
  Leaves names(R"({"\u0061\n":1,"a name that is longer than one block":2,"":3})", 1);
  EXPECT_TRUE(names.whole());
  EXPECT_EQ(names.seen, "a\n:1 a name that is longer than one block:2 :3 ");
}

TEST(Cursor, RefusesWhatDoesNotPairUp) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "}",
                           "{]",
                           "[}",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "[1,]",
                           "[1 2]",
                           "[nullx]",
                           "{\"a\":[1}}",
                           "{\"a\":{\"b\":[}]}",
                           "[\"a]",
                           "[1]]",
                           "{\"a\":1}x",
                           "[\"\n\"]",
                           "{\"\n\":1}",
                           "{\"\\q\":1}",
                           "{1:2}",
                           "[\"\\"}) {
    EXPECT_FALSE(Leaves(text, 9).whole()) << text;
  }
  for (const char* text :
       {"{]", "[}", "{\"a\":[1}}", "[\"a]", "[1]]", "[\"\n\"]", "[\"\\", "[[]", "nullx?"}) {
    EXPECT_FALSE(Leaves(text, 0).whole()) << text;
  }
}

TEST(Cursor, BoundsTheDepth) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(Leaves(nested(Cursor::kDepthMax), 0).whole());
  EXPECT_FALSE(Leaves(nested(Cursor::kDepthMax + 1), 0).whole());
}

TEST(Cursor, StaysInsideEveryPrefix) {
  for (std::size_t size = 0; size < kText.size() - 1; ++size) {
    const std::vector<char> copy(kText.begin(), kText.begin() + static_cast<std::ptrdiff_t>(size));
    for (const int depth : {0, 1, 9}) {
      EXPECT_FALSE(Leaves({copy.data(), size}, depth).whole());
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
