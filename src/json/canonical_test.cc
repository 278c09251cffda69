#include "json/canonical.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "json/escape.h"

namespace slipstream::json {
namespace {

std::string canonical(std::string_view text) {
  Canonicalizer canonicalizer;
  std::string out;
  const auto result = canonicalizer.append(text, out);
  if (!result) {
    return "refused: " + std::string(to_string(result.error().fault)) + " at " +
           std::to_string(result.error().offset);
  }
  return out;
}

TEST(Canonical, SortsTopLevelMembersOnly) {
  EXPECT_EQ(canonical(R"( { "b" : {"z":1,"a":2} , "a" : [ 3 , {"y":1,"x":2} ] } )"),
            R"({"a":[3,{"y":1,"x":2}],"b":{"z":1,"a":2}})");
  EXPECT_EQ(canonical("{}"), "{}");
  EXPECT_EQ(canonical(" [ ] "), "[]");
  EXPECT_EQ(canonical(R"([{"b":1,"a":1.0}])"), R"([{"b":1,"a":1.0}])");
}

TEST(Canonical, EncodesStringsInOneWay) {
  EXPECT_EQ(canonical(R"({"a":"\u00e9\/\u0041\ud83d\ude00"})"), "{\"a\":\"é/A😀\"}");
  EXPECT_EQ(canonical(R"({"a":"\u000a\u0008\u001F\u0022\u005c\u0000"})"),
            R"({"a":"\n\b\u001f\"\\\u0000"})");
  EXPECT_EQ(canonical(R"({"\u0061":"  kept  "})"), R"({"a":"  kept  "})");
  // No normalisation of content: composed and decomposed forms stay different.
  EXPECT_NE(canonical(R"({"a":"\u00e9"})"), canonical(R"({"a":"e\u0301"})"));
}

TEST(Canonical, ComparesTopLevelNumbersAsExactDecimals) {
  const auto number = [](std::string_view text) {
    return canonical(R"({"a":)" + std::string(text) + "}");
  };
  for (const char* zero : {"0", "0.0", "0e0", "0.000E+99", "0e-999999999999999999999"}) {
    EXPECT_EQ(number(zero), R"({"a":0})") << zero;
  }
  for (const char* same : {"0.7", "0.70", "7e-1", "70E-2", "0.0007e+3"}) {
    EXPECT_EQ(number(same), R"({"a":7e-1})") << same;
  }
  EXPECT_EQ(number("100"), R"({"a":1e2})");
  EXPECT_EQ(number("-12.50"), R"({"a":-125e-1})");
  EXPECT_EQ(number("-0"), R"({"a":-0})");
  EXPECT_EQ(number("10.01"), R"({"a":1001e-2})");
  // A double would confuse these.
  EXPECT_NE(number("9007199254740993"), number("9007199254740992"));
  EXPECT_NE(number("0.1"), number("0.1000000000000000055511151231257827"));
  EXPECT_NE(number("1e-99999999999999999998"), number("1e-99999999999999999999"));
  // Below the top level the source text is kept.
  EXPECT_EQ(canonical(R"({"a":[1,1.0,1e0]})"), R"({"a":[1,1.0,1e0]})");
}

TEST(Canonical, KeepsNullAbsentAndDefaultApart) {
  EXPECT_NE(canonical(R"({"a":null})"), canonical("{}"));
  EXPECT_NE(canonical(R"({"a":null})"), canonical(R"({"a":false})"));
}

TEST(Canonical, ListsTopLevelMembers) {
  const std::string body = R"({ "model" : "m\u0031", "n" : 1.0, "messages": [ 1 ] })";
  Canonicalizer canonicalizer;
  std::string out = "prefix";
  ASSERT_TRUE(canonicalizer.append(body, out).ok());
  EXPECT_EQ(out, R"(prefix{"messages":[1],"model":"m1","n":1})");
  const auto members = canonicalizer.members();
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0].name, "messages");
  EXPECT_EQ(members[0].kind, Kind::kArray);
  EXPECT_EQ(members[1].value, "\"m1\"");
  EXPECT_EQ(members[1].raw, R"("m\u0031")");
  EXPECT_EQ(members[2].value, "1");
  EXPECT_EQ(members[2].raw, "1.0");
}

struct Refusal {
  std::string text;
  Fault fault;
  std::size_t offset;
};

std::string many_names(std::string_view last) {
  std::string text = "{";
  for (int i = 0; i < 40; ++i) text += "\"n" + std::to_string(i) + "\":0,";
  return text + "\"" + std::string(last) + "\":0}";
}

TEST(Canonical, RefusesWhatParsersReadDifferently) {
  const std::vector<Refusal> refusals = {
      {"", Fault::kUnexpectedEnd, 0},
      {"  ", Fault::kUnexpectedEnd, 2},
      {"{", Fault::kUnexpectedEnd, 1},
      {R"({"a")", Fault::kUnexpectedEnd, 4},
      {R"({"a":"b)", Fault::kUnexpectedEnd, 7},
      {R"({"a":1,})", Fault::kUnexpectedByte, 7},
      {"[1,]", Fault::kUnexpectedByte, 3},
      {"[1 2]", Fault::kUnexpectedByte, 3},
      {"{a:1}", Fault::kUnexpectedByte, 1},
      {"{'a':1}", Fault::kUnexpectedByte, 1},
      {"[1]]", Fault::kTrailingBytes, 3},
      {"{} {}", Fault::kTrailingBytes, 3},
      {std::string("{}\0", 3), Fault::kTrailingBytes, 2},
      {"\xef\xbb\xbf{}", Fault::kUnexpectedByte, 0},
      {"[tru]", Fault::kBadLiteral, 1},
      {"[nul]", Fault::kBadLiteral, 1},
      {"[truee]", Fault::kUnexpectedByte, 5},
      {"[NaN]", Fault::kUnexpectedByte, 1},
      {"[Infinity]", Fault::kUnexpectedByte, 1},
      {"[01]", Fault::kBadNumber, 1},
      {"[-01]", Fault::kBadNumber, 1},
      {"[-]", Fault::kBadNumber, 2},
      {"[1.]", Fault::kBadNumber, 3},
      {"[.5]", Fault::kUnexpectedByte, 1},
      {"[+1]", Fault::kUnexpectedByte, 1},
      {"[1e]", Fault::kBadNumber, 3},
      {"[0x1]", Fault::kUnexpectedByte, 2},
      {"[1e400]", Fault::kNotFinite, 1},
      {"[-1.8e308]", Fault::kNotFinite, 1},
      {"[1e99999999999999999999]", Fault::kNotFinite, 1},
      {"[1" + std::string(309, '0') + "]", Fault::kNotFinite, 1},
      {R"(["\x"])", Fault::kBadEscape, 2},
      {R"(["\u12g4"])", Fault::kBadEscape, 2},
      {R"(["\u12)", Fault::kBadEscape, 2},
      {R"(["\ud800"])", Fault::kLoneSurrogate, 2},
      {R"(["\ud800\u0041"])", Fault::kLoneSurrogate, 2},
      {R"(["\udc00\ud800"])", Fault::kLoneSurrogate, 2},
      {"[\"a\nb\"]", Fault::kControlCharacter, 3},
      {std::string("[\"a\0b\"]", 7), Fault::kControlCharacter, 3},
      {"[\"\xff\"]", Fault::kInvalidUtf8, 2},
      {"[\"\xc3\xa9\xc0\xaf\"]", Fault::kInvalidUtf8, 4},
      {"[\"\xed\xa0\x80\"]", Fault::kInvalidUtf8, 2},
      {"[\"\xf4\x90\x80\x80\"]", Fault::kInvalidUtf8, 2},
      {"[\"" + std::string(500, 'x') + "\xe2\x82\"]", Fault::kInvalidUtf8, 502},
      {R"({"a":1,"a":1})", Fault::kDuplicateName, 7},
      {R"({"a":1,"\u0061":1})", Fault::kDuplicateName, 7},
      {R"([{"x":{"b":1,"c":2,"b":3}}])", Fault::kDuplicateName, 19},
      {many_names("n7"), Fault::kDuplicateName, many_names("n7").size() - 7},
  };
  for (const Refusal& refusal : refusals) {
    Canonicalizer canonicalizer;
    std::string out = "kept";
    const auto result = canonicalizer.append(refusal.text, out);
    ASSERT_FALSE(result.ok()) << refusal.text;
    EXPECT_EQ(to_string(result.error().fault), to_string(refusal.fault)) << refusal.text;
    EXPECT_EQ(result.error().offset, refusal.offset) << refusal.text;
    EXPECT_EQ(out, "kept");
    EXPECT_TRUE(canonicalizer.members().empty());
  }
  EXPECT_EQ(canonical(many_names("n40")).front(), '{');
  EXPECT_EQ(canonical(R"([{"a":1},{"a":1}])"), R"([{"a":1},{"a":1}])");
}

TEST(Canonical, BoundsNesting) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(canonical(nested(64)), nested(64));
  EXPECT_EQ(canonical(nested(65)), "refused: nesting over 64 levels at 64");
  EXPECT_EQ(canonical(std::string(100'000, '[')), "refused: nesting over 64 levels at 64");
  std::string objects;
  for (int i = 0; i < 65; ++i) objects += "{\"a\":";
  EXPECT_EQ(canonical(objects), "refused: nesting over 64 levels at 320");
}

TEST(Canonical, GivesTheSameAtEveryBlockOffset) {
  for (std::size_t pad = 0; pad < 40; ++pad) {
    const std::string plain(pad, 'x');
    EXPECT_EQ(canonical("{\"" + plain + "\":\"" + plain + "\\u0041\\n" + plain + "\"}"),
              "{\"" + plain + "\":\"" + plain + "A\\n" + plain + "\"}");
    EXPECT_EQ(canonical("[\"" + plain + "\x01\"]"),
              "refused: raw control character in a string at " + std::to_string(pad + 2));
  }
}

// Writes random JSON, with every freedom the canonical form must not see taken at random.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string space() { return std::string(random_.below(3), " \n\t\r"[random_.below(4)]); }
  std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      const bool must = c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
      const bool may = static_cast<unsigned char>(c) < 0x80 && random_.below(4) == 0;
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, random_.below(2) ? "\\u%04x" : "\\u%04X",
                    static_cast<unsigned>(c));
      out += must || may ? std::string(escaped) : std::string(1, c);
    }
    return out + "\"";
  }

 private:
  SeededRandom random_;
};

TEST(CanonicalProperty, IsAFixedPointAndValidForSimdjson) {
  simdjson::dom::parser parser;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Writer writer(seed);
    SeededRandom random(seed ^ 0x5eed);
    std::string body = "{";
    for (std::uint64_t i = 0, n = random.below(6); i < n; ++i) {
      std::string text = "é😀\"\\\n\x7f/plain";
      text.resize(text.size() - random.below(8));
      body += i ? "," : "";
      body += writer.space() + writer.quoted("k" + std::to_string((i * 7) % 6)) + writer.space() +
              ":" + writer.space() + "[" + writer.quoted(text) + "," + writer.space() +
              std::to_string(random.below(100)) + ".50e-3," + "{}]" + writer.space();
    }
    body += "}";
    const std::string once = canonical(body);
    ASSERT_EQ(once.front(), '{') << body << once;
    EXPECT_EQ(canonical(once), once);
    EXPECT_EQ(parser.parse(once).error(), simdjson::SUCCESS) << once;
  }
}

TEST(Escape, QuotesForWriting) {
  std::string out;
  append_quoted(out, std::string_view("a\"\\\n\x01é\0", 8));
  EXPECT_EQ(out, R"("a\"\\\n\u0001é\u0000")");
}

}  // namespace
}  // namespace slipstream::json
