// The ruler itself: the fixed format of the stub and the reader that must agree with it.
#include <gtest/gtest.h>

#include <string>

#include "response.h"
#include "wire.h"

namespace slipstream::bench {
namespace {

TEST(Wire, ScriptComesFromTheModelName) {
  const auto script = find_script(R"({"model":"stub-300-100-10","stream":true})");
  ASSERT_TRUE(script.has_value());
  EXPECT_EQ(script->delay_ms, 300u);
  EXPECT_EQ(script->events, 100u);
  EXPECT_EQ(script->interval_ms, 10u);
  EXPECT_FALSE(find_script(R"({"model":"gpt"})").has_value());
  EXPECT_FALSE(find_script("stub-1-2").has_value());
}

TEST(Wire, EventHasItsSizeAndKeepsItsStamp) {
  std::string event = event_template();
  ASSERT_EQ(event.size(), kEventBytes);
  put_stamp(event.data(), 1234567890123456789);
  EXPECT_EQ(read_stamp(event.data()), 1234567890123456789u);
  EXPECT_TRUE(event.starts_with("data: {\"id\":\"1234567890123456789\""));
  EXPECT_TRUE(event.ends_with("}\n\n"));
}

TEST(Wire, RequestsDifferOnlyInTheirSerial) {
  RequestTemplate request("stub-0-5-1", "");
  const std::string one(request.with(1));
  EXPECT_EQ(one, request.with(1));
  EXPECT_NE(one, request.with(2));
  EXPECT_EQ(one.size(), request.with(UINT64_MAX).size());
  EXPECT_NE(one.find("\"stream\":true"), std::string::npos);
  EXPECT_EQ(RequestTemplate("stub-0-0-0", "").with(1).find("\"stream\""), std::string_view::npos);
}

struct Read {
  ResponseReader::State state = ResponseReader::State::kReading;
  std::string body;
  int status = 0;
};

// Feeds `wire` in pieces of `step` bytes.
Read read_in_steps(std::string_view wire, std::size_t step) {
  ResponseReader reader;
  Read read;
  for (; !wire.empty(); wire.remove_prefix(std::min(step, wire.size()))) {
    read.state =
        reader.feed(wire.substr(0, step), [&](std::string_view run) { read.body.append(run); });
  }
  read.status = reader.status();
  return read;
}

TEST(ResponseReader, EverySplitReadsTheSame) {
  const std::string_view chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n"
      "5\r\nhello\r\nA;x=y\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n";
  const std::string_view fixed = "HTTP/1.1 404 No\r\ncontent-length:  15\r\n\r\nhello0123456789";
  for (std::size_t step = 1; step <= chunked.size(); ++step) {
    for (const std::string_view wire : {chunked, fixed}) {
      const Read read = read_in_steps(wire, step);
      EXPECT_EQ(read.state, ResponseReader::State::kDone) << step;
      EXPECT_EQ(read.body, "hello0123456789") << step;
      EXPECT_EQ(read.status, wire == chunked ? 200 : 404);
    }
  }
}

TEST(ResponseReader, CutAnswersAreNotComplete) {
  const std::string_view cut =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
  ResponseReader reader;
  const auto ignore = [](std::string_view) {};
  EXPECT_EQ(reader.feed(cut, ignore), ResponseReader::State::kReading);
  EXPECT_EQ(reader.at_eof(), ResponseReader::State::kBroken);
  reader.start();
  EXPECT_EQ(reader.feed("HTTP/1.1 200 OK\r\n\r\nabc", ignore), ResponseReader::State::kReading);
  EXPECT_EQ(reader.at_eof(), ResponseReader::State::kDone);
}

TEST(ResponseReader, BytesBehindTheAnswerAreAnError) {
  const std::string_view wire = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokX";
  EXPECT_EQ(read_in_steps(wire, wire.size()).state, ResponseReader::State::kBroken);
}

}  // namespace
}  // namespace slipstream::bench
