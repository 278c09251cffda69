// What every test has: the upstream, the gateway, and a few ways to say "then B joins".
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "faults/caller.h"
#include "faults/chat.h"
#include "faults/gate.h"
#include "faults/upstream.h"
#include "json/reader.h"

namespace slipstream::faults {

// How soon "soon" is: what the gateway does on its own after an event.
inline constexpr Duration kSoon = milliseconds(500);

struct Scene {
  explicit Scene(const Gate::Options& options = {}, std::string_view yaml = {})
      : gate(upstream, options, yaml) {}

  // A caller whose request is on its way.
  Caller ask(std::string_view body, std::string_view fields = {}) {
    Caller caller(gate);
    caller.post(body, fields);
    return caller;
  }
  // The same, and it has joined a flight.
  Caller follow(std::string_view body, std::string_view fields = {}) {
    const std::uint64_t before = gate.followers();
    Caller caller = ask(body, fields);
    gate.wait_followers(before + 1);
    return caller;
  }

  Upstream upstream;
  Gate gate;
};

// The code of an OpenAI error object; empty if `body` is none.
inline std::string code_of(std::string_view body) {
  std::string scratch;
  const auto code = json::text_of(json::find(json::find(body, "error"), "code"), scratch);
  return std::string(code.value_or(""));
}

// The answer is a stream that broke after `published`: an error event with that code comes last, no
// terminal marker, and the framing shows that the body is incomplete.
inline void expect_broken(const Answer& answer, std::string_view published, std::string_view code) {
  EXPECT_EQ(answer.status(), 200);
  EXPECT_FALSE(answer.complete);
  EXPECT_NE(answer.end, Answer::End::kOpen);
  ASSERT_TRUE(answer.body.starts_with(published)) << answer.body;
  std::string_view last = std::string_view(answer.body).substr(published.size());
  ASSERT_TRUE(last.starts_with("data: ") && last.ends_with("\n\n")) << answer.body;
  EXPECT_EQ(last.find("\n\n"), last.size() - 2) << "one event, not more: " << last;
  EXPECT_EQ(code_of(last.substr(6)), code);
  EXPECT_FALSE(answer.has("[DONE]"));
  EXPECT_FALSE(answer.wire.ends_with("0\r\n\r\n"));
}

// The answer is exactly that stream, and whole.
inline void expect_stream(const Answer& answer, std::string_view bytes) {
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.body, bytes);
  EXPECT_TRUE(answer.complete);
}

// The answer is a whole error of the gateway or passed on by it.
inline void expect_error(const Answer& answer, int status, std::string_view code) {
  EXPECT_EQ(answer.status(), status);
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(code_of(answer.body), code) << answer.body;
}

}  // namespace slipstream::faults
