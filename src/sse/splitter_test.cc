#include "sse/splitter.h"

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace slipstream::sse {
namespace {

struct Result {
  std::vector<std::string> events;  // a leading '#' marks comment-only ones
  std::string rest;
  bool too_long = false;
  bool operator==(const Result&) const = default;
};

class Reader {
 public:
  explicit Reader(std::size_t bytes_max, Splitter::Unit unit = Splitter::Unit::kEvent)
      : splitter_(bytes_max, unit) {}

  void feed(std::string_view piece) {
    const std::string copy(piece);  // exact size: reading outside is seen by the sanitizer
    std::string_view input = copy;
    Event event;
    for (;;) {
      const Splitter::Step step = splitter_.next(input, event);
      if (step == Splitter::Step::kTooLong) result_.too_long = true;
      if (step == Splitter::Step::kNeedMore) {
        EXPECT_TRUE(input.empty());
      }
      if (step != Splitter::Step::kEvent) return;
      add(event);
    }
  }

  Result finish() {
    Event event;
    if (splitter_.finish(event) == Splitter::Step::kEvent) add(event);
    result_.rest = splitter_.rest();
    return result_;
  }

 private:
  void add(const Event& event) {
    result_.events.push_back((event.only_comments ? "#" : "") + std::string(event.raw));
  }
  Splitter splitter_;
  Result result_;
};

constexpr std::size_t kPlenty = 1 << 20;

Result split_at(std::string_view stream, std::vector<std::size_t> cuts, std::size_t max = kPlenty) {
  Reader reader(max);
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    reader.feed(stream.substr(from, cut - from));
    from = cut;
  }
  reader.feed(stream.substr(from));
  return reader.finish();
}

Result whole(std::string_view stream) {
  return split_at(stream, {});
}

std::vector<std::size_t> every_byte(std::string_view stream) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < stream.size(); ++i) cuts.push_back(i);
  return cuts;
}

// One cut anywhere, two cuts around each place, and byte by byte.
void expect_same_for_all_cuts(std::string_view stream, std::size_t max = kPlenty) {
  const Result expected = split_at(stream, {}, max);
  EXPECT_EQ(split_at(stream, every_byte(stream), max), expected) << stream;
  for (std::size_t i = 0; i <= stream.size(); ++i) {
    EXPECT_EQ(split_at(stream, {i}, max), expected) << stream << " cut at " << i;
    for (std::size_t j = i; j <= std::min(i + 3, stream.size()); ++j) {
      EXPECT_EQ(split_at(stream, {i, j}, max), expected) << stream << " cut at " << i << "," << j;
    }
  }
}

using Events = std::vector<std::string>;

TEST(Splitter, EndsAnEventAtABlankLineOfAnyKind) {
  EXPECT_EQ(whole("data: a\n\ndata: b\n\n").events, (Events{"data: a\n\n", "data: b\n\n"}));
  EXPECT_EQ(whole("data: a\r\n\r\ndata: b\r\n\r\n").events,
            (Events{"data: a\r\n\r\n", "data: b\r\n\r\n"}));
  EXPECT_EQ(whole("data: a\r\rdata: b\r\r").events, (Events{"data: a\r\r", "data: b\r\r"}));
  EXPECT_EQ(whole("data: a\n\r\ndata: b\r\n\n").events, (Events{"data: a\n\r\n", "data: b\r\n\n"}));
  EXPECT_EQ(whole("data: a\r\n\rdata: b\n\r").events, (Events{"data: a\r\n\r", "data: b\n\r"}));
}

TEST(Splitter, TreatsBlankLinesAndCommentsAsEventsWithoutFields) {
  EXPECT_EQ(whole("\n").events, (Events{"#\n"}));
  EXPECT_EQ(whole("data: a\n\n\n\n").events, (Events{"data: a\n\n", "#\n", "#\n"}));
  EXPECT_EQ(whole(": ping\n: pong\n\n").events, (Events{"#: ping\n: pong\n\n"}));
  EXPECT_EQ(whole(": ping\ndata: a\n\n").events, (Events{": ping\ndata: a\n\n"}));
  EXPECT_EQ(whole("data: a\n: ping\n\n").events, (Events{"data: a\n: ping\n\n"}));
}

TEST(Splitter, KeepsWhatIsLeftWhenTheStreamEnds) {
  EXPECT_EQ(whole("data: a\n\ndata: b").rest, "data: b");
  EXPECT_EQ(whole("data: a\n\ndata: b\n").rest, "data: b\n");
  EXPECT_EQ(whole("data: a\n\ndata: b\n\r").rest, "");  // its CR is a blank line now
  EXPECT_EQ(whole("data: a\n\n").rest, "");
  EXPECT_EQ(whole("").rest, "");
}

TEST(Splitter, KeepsAByteOrderMarkInTheFirstEventOnly) {
  EXPECT_EQ(whole("\xEF\xBB\xBF"
                  "data: a\n\n")
                .events,
            (Events{"\xEF\xBB\xBF"
                    "data: a\n\n"}));
  EXPECT_EQ(whole("\xEF\xBB\xBF: ping\n\n").events, (Events{"#\xEF\xBB\xBF: ping\n\n"}));
  EXPECT_EQ(whole("\xEF\xBB\xBF\ndata: a\n\n").events, (Events{"#\xEF\xBB\xBF\n", "data: a\n\n"}));
  EXPECT_EQ(whole("\n\xEF\xBB\xBF\n\n").events, (Events{"#\n", "\xEF\xBB\xBF\n\n"}));
}

TEST(Splitter, IsZeroCopyForAWholeEvent) {
  const std::string stream = "data: a\n\ndata: b\n\n";
  Splitter splitter;
  std::string_view input = stream;
  Event event;
  ASSERT_EQ(splitter.next(input, event), Splitter::Step::kEvent);
  EXPECT_EQ(event.raw.data(), stream.data());
  ASSERT_EQ(splitter.next(input, event), Splitter::Step::kEvent);
  EXPECT_EQ(event.raw.data(), stream.data() + 9);
}

TEST(Splitter, IsTheSameForEverySplit) {
  for (const std::string_view stream :
       {"data: a\n\ndata: b\n\n", "data: a\r\n\r\ndata: b\r\n\r\n", "data: a\r\rdata: b\r\r",
        "\r\n\r\n\r\r\n\n\r", ": c\r\r\n\n\r\ndata",
        "\xEF\xBB\xBF"
        "data: a\n\n\xEF\xBB\xBF\n\n",
        "\xEF\xBB\xBF\r\n\xEF\xBB", "event: x\ndata: 1\ndata: 2\nid: 3\n\n:\n\nretry: 1\n\n",
        "data: \xE4\xBD\xA0\xE5\xA5\xBD\xF0\x9F\x8C\x8D\n\ndata: [DONE]\n\n", "\r", "\n", "x"}) {
    expect_same_for_all_cuts(stream);
  }
}

// H05: a multi-byte character cut by reads stays as it is.
TEST(Splitter, H05KeepsCutCharacters) {
  const std::string_view stream = "data: {\"c\":\"\xE4\xBD\xA0\xE5\xA5\xBD\xF0\x9F\x8C\x8D\"}\n\n";
  EXPECT_EQ(split_at(stream, every_byte(stream)).events, (Events{std::string(stream)}));
}

// H06: a CR at the end of a read does not end the event when its LF comes with the next read.
TEST(Splitter, H06WaitsForTheLineFeedOfACarriageReturn) {
  const std::string_view stream = "data: {\"a\":\r\ndata: 1}\r\n\r\n";
  for (const auto& cuts : {std::vector<std::size_t>{12}, {22}, {24}, {12, 22, 24}}) {
    EXPECT_EQ(split_at(stream, cuts).events, (Events{std::string(stream)}));
  }
  std::string scratch;
  EXPECT_EQ(parse_fields(stream, scratch).data, "{\"a\":\n1}");
}

// H07: keep-alive comments are events of their own, marked as such.
TEST(Splitter, H07TellsCommentsFromTokens) {
  const std::string_view stream = ": PROCESSING\n\ndata: a\n\n: PROCESSING\n\ndata: b\n\n";
  EXPECT_EQ(whole(stream).events,
            (Events{"#: PROCESSING\n\n", "data: a\n\n", "#: PROCESSING\n\n", "data: b\n\n"}));
  expect_same_for_all_cuts(stream);
}

TEST(Splitter, HoldsLargeEvents) {
  const std::string stream = "data: " + std::string(300 * 1024, 'x') + "\n\ndata: b\n\n";
  const Result expected = whole(stream);
  ASSERT_EQ(expected.events.size(), 2u);
  for (std::size_t step : {std::size_t{1000}, std::size_t{4096}, std::size_t{65536}}) {
    std::vector<std::size_t> cuts;
    for (std::size_t i = step; i < stream.size(); i += step) cuts.push_back(i);
    EXPECT_EQ(split_at(stream, cuts), expected);
  }
}

TEST(Splitter, RefusesAnEventAboveItsBound) {
  const std::string_view nine = "data: a\n\n";
  EXPECT_FALSE(split_at(nine, {}, 9).too_long);
  EXPECT_TRUE(split_at(nine, {}, 8).too_long);
  EXPECT_TRUE(split_at("data: endless", {}, 12).too_long);
  EXPECT_FALSE(split_at("data: endless", {}, 13).too_long);
  for (std::size_t max = 7; max < 12; ++max) {
    expect_same_for_all_cuts("data: a\n\ndata: bb\r\n\r\ndata", max);
    expect_same_for_all_cuts("data: a\r\rdata: b\r\r\r", max);
  }
  EXPECT_EQ(split_at("data: a\n\ndata: too long\n\ndata: b\n\n", {}, 9).events,
            (Events{"data: a\n\n"}));
}

TEST(Splitter, RandomStreamsRandomSplits) {
  std::mt19937 random(7);
  const std::vector<std::string> parts = {
      "\r",      "\n", "\r\n", ":", "data: x", "\xEF\xBB\xBF", "\xF0\x9F", std::string(600, 'y'),
      "event: e"};
  for (int round = 0; round < 3000; ++round) {
    std::string stream;
    for (std::size_t n = random() % 12; n > 0; --n) stream += parts[random() % parts.size()];
    const std::size_t max = random() % 4 == 0 ? random() % 700 : kPlenty;
    std::vector<std::size_t> cuts;
    for (std::size_t at = 0; at < stream.size(); at += random() % 9) cuts.push_back(at);
    const Result expected = split_at(stream, {}, max);
    ASSERT_EQ(split_at(stream, cuts, max), expected) << round;
    std::string glued;
    for (const std::string& event : expected.events) glued += event.substr(event.starts_with('#'));
    if (!expected.too_long) {
      ASSERT_EQ(glued + expected.rest, stream) << round;
    }
  }
}

TEST(ParseFields, ReadsWhatAClientWouldSee) {
  std::string scratch;
  Fields fields = parse_fields("data: a\n\n", scratch);
  EXPECT_EQ(fields.data, "a");
  EXPECT_TRUE(fields.has_data);
  EXPECT_EQ(parse_fields("data:a\n\n", scratch).data, "a");
  EXPECT_EQ(parse_fields("data:  a\n\n", scratch).data, " a");
  EXPECT_EQ(parse_fields("data\n\n", scratch).has_data, true);
  EXPECT_EQ(parse_fields("\xEF\xBB\xBF"
                         "data: a\r\r",
                         scratch)
                .data,
            "a");
  EXPECT_EQ(parse_fields("data: a\ndata\ndata: c\n\n", scratch).data, "a\n\nc");
  EXPECT_EQ(parse_fields("data: last without blank line", scratch).data, "last without blank line");

  fields = parse_fields("event: x\r\nid: 1\r\nevent: error\r\ndata: {}\r\n\r\n", scratch);
  EXPECT_EQ(fields.event, "error");
  EXPECT_EQ(fields.data, "{}");

  for (const char* nothing :
       {": data: a\n\n", "\n", "", "retry: 1\n\n", "datax: a\n\n", " data: a\n\n"}) {
    EXPECT_FALSE(parse_fields(nothing, scratch).has_data) << nothing;
  }
}

Result lines_at(std::string_view stream, std::vector<std::size_t> cuts, std::size_t max = kPlenty) {
  Reader reader(max, Splitter::Unit::kLine);
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    reader.feed(stream.substr(from, cut - from));
    from = cut;
  }
  reader.feed(stream.substr(from));
  return reader.finish();
}

TEST(Lines, EndInAnyLfAndNothingElse) {
  const Result told = lines_at("{\"a\":1}\n{\r\"b\":2}\r\n\n\r\n: x\n{\"c\"", {});
  EXPECT_EQ(told.events,
            (std::vector<std::string>{"{\"a\":1}\n", "{\r\"b\":2}\r\n", "#\n", "\r\n", "#: x\n"}));
  EXPECT_EQ(told.rest, "{\"c\"");
  EXPECT_TRUE(lines_at("", {}).events.empty());
}

TEST(Lines, AreTheSameForEveryCutAndBounded) {
  std::mt19937 random(7);
  constexpr std::string_view kPieces[] = {"\n", "\r\n",         "\r", "{\"a\":1}",
                                          " ",  "\xEF\xBB\xBF", ":"};
  for (int round = 0; round < 300; ++round) {
    std::string stream;
    for (std::uint32_t i = random() % 12; i > 0; --i) stream += kPieces[random() % 7];
    for (const std::size_t max : {kPlenty, std::size_t{9}}) {
      const Result expected = lines_at(stream, {}, max);
      EXPECT_EQ(lines_at(stream, every_byte(stream), max), expected) << stream;
      for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
        EXPECT_EQ(lines_at(stream, {cut}, max), expected) << stream << " cut at " << cut;
      }
      std::string joined;
      for (const std::string& event : expected.events) joined += event.substr(event[0] == '#');
      if (!expected.too_long) {
        EXPECT_EQ(joined + expected.rest, stream);
      }
    }
  }
  EXPECT_TRUE(lines_at("12345678\n123456789\n", {}, 9).too_long);
}

}  // namespace
}  // namespace slipstream::sse
