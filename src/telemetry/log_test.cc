#include "telemetry/log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <condition_variable>
#include <mutex>
#include <sstream>
#include <string>
#include <type_traits>

namespace slipstream::telemetry {
namespace {

static_assert(!std::is_constructible_v<LogField, const char*, Secret>);
static_assert(!fmt::is_formattable<Secret>::value);

// What a Log with these settings writes until it is destroyed.
template <typename Use>
std::string logged(Level level, LogFormat format, Use use) {
  std::ostringstream out;
  const ManualClock clock;
  {
    Log log(level, format, clock, std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
    use(log);
  }
  return out.str();
}

TEST(Log, TextLineHasTimeLevelNameAndPairs) {
  const std::string line = logged(Level::kInfo, LogFormat::kText, [](Log& log) {
    log.event(Level::kInfo, "leader",
              {{"key", "3fa90c"}, {"flight", 7U}, {"delta", -3}, {"shared", true}, {"ratio", 0.5}});
  });
  EXPECT_EQ(line,
            "1970-01-01T01:00:00.000Z info leader key=3fa90c flight=7 delta=-3 shared=true "
            "ratio=0.5\n");
}

TEST(Log, JsonLine) {
  const std::string line = logged(Level::kInfo, LogFormat::kJson, [](Log& log) {
    log.event(Level::kWarning, "too_slow", {{"flight", 7U}, {"path", "/a \"b\"\n\\"}});
    log.event(Level::kError, "bare");
  });
  EXPECT_EQ(line,
            "{\"time\":\"1970-01-01T01:00:00.000Z\",\"level\":\"warning\",\"event\":\"too_slow\","
            "\"flight\":7,\"path\":\"/a \\\"b\\\"\\n\\\\\"}\n"
            "{\"time\":\"1970-01-01T01:00:00.000Z\",\"level\":\"error\",\"event\":\"bare\"}\n");
}

TEST(Log, ValuesCannotForgeLinesOrFields) {
  const std::string line = logged(Level::kInfo, LogFormat::kText, [](Log& log) {
    log.event(
        Level::kInfo, "e",
        {{"a", "x\n2026 info forged"}, {"b", "x key=1"}, {"c", ""}, {"d", "\x1b[31m\xc3\xa9"}});
  });
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_NE(line.find(R"(a="x\n2026 info forged" b="x key=1" c="" d="\x1b[31m\xc3\xa9")"),
            std::string::npos)
      << line;
  EXPECT_NE(logged(Level::kInfo, LogFormat::kJson,
                   [](Log& log) { log.event(Level::kInfo, "e", {{"d", "\x1b"}}); })
                .find(R"("d":"\\x1b")"),
            std::string::npos);
}

TEST(Log, FormatDirectivesInValuesAreText) {
  EXPECT_NE(logged(Level::kInfo, LogFormat::kText,
                   [](Log& log) { log.event(Level::kInfo, "e", {{"a", "{}%v%^"}}); })
                .find("a={}%v%^\n"),
            std::string::npos);
}

TEST(Log, LongValuesAreCut) {
  const std::string value(5000, 'x');
  const std::string line = logged(Level::kInfo, LogFormat::kText,
                                  [&](Log& log) { log.event(Level::kInfo, "e", {{"a", value}}); });
  EXPECT_LT(line.size(), 400U);
  EXPECT_TRUE(line.ends_with("xxx...\n"));
}

TEST(Log, LevelsBelowAreSilent) {
  EXPECT_EQ(logged(Level::kWarning, LogFormat::kText,
                   [](Log& log) {
                     EXPECT_FALSE(log.enabled(Level::kInfo));
                     log.event(Level::kDebug, "debug");
                     log.event(Level::kInfo, "info");
                   }),
            "");
  EXPECT_EQ(
      logged(Level::kOff, LogFormat::kText, [](Log& log) { log.event(Level::kError, "error"); }),
      "");
}

// A sink whose reader does not read until told.
class StuckSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void release() {
    const std::lock_guard lock(gate_mutex_);
    open_ = true;
    gate_.notify_all();
  }
  std::size_t lines = 0;

 protected:
  void sink_it_(const spdlog::details::log_msg&) override {
    std::unique_lock lock(gate_mutex_);
    gate_.wait(lock, [this] { return open_; });
    ++lines;
  }
  void flush_() override {}

 private:
  std::mutex gate_mutex_;
  std::condition_variable gate_;
  bool open_ = false;
};

TEST(Log, AStuckReaderCostsLinesNotTime) {
  auto sink = std::make_shared<StuckSink>();
  const ManualClock clock;
  constexpr std::size_t kLines = 20000;
  std::size_t dropped = 0;
  {
    Log log(Level::kInfo, LogFormat::kText, clock, sink);
    for (std::size_t i = 0; i < kLines; ++i) log.event(Level::kInfo, "e", {{"i", i}});
    dropped = log.dropped();
    sink->release();
  }
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(sink->lines + dropped, kLines);
}

}  // namespace
}  // namespace slipstream::telemetry
