#include "lab/script.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lab/timeline.h"
#include "lab/token.h"

namespace slipstream::lab {
namespace {

std::vector<Step> steps_of(const StubScript& script, Delivery delivery = Delivery::kStreamed,
                           UsageChunk usage = UsageChunk::kOmitted) {
  Timeline timeline(script, delivery, usage, milliseconds(7));
  std::vector<Step> steps;
  do {
    steps.push_back(timeline.next());
  } while (!is_last(steps.back().kind) && steps.size() < 100);
  return steps;
}

// One letter per step: H head, T token, c comment, F finish, U usage, D done, E error event, and
// the last one . end, A answer, e error, f fin, r reset, s silence.
std::string letters_of(const std::vector<Step>& steps) {
  std::string letters;
  for (const Step& step : steps) letters += "HTcFUDE.Aefrs"[static_cast<std::size_t>(step.kind)];
  return letters;
}

std::string letters(const std::string& settings, Delivery delivery = Delivery::kStreamed) {
  return letters_of(steps_of(*parse_script(settings, {.tokens = 3}), delivery));
}

TEST(Script, EverySettingIsRead) {
  const auto script = parse_script(
      "first=300ms, interval=10ms,tokens=50,bytes=64,load=2s,comments=1s,error=503,error_calls=2,"
      "retry_after=1,cut=5,cut_as=reset,error_event=4,silence_after=3",
      {});
  ASSERT_TRUE(script.ok());
  EXPECT_EQ(script->first, milliseconds(300));
  EXPECT_EQ(script->interval, milliseconds(10));
  EXPECT_EQ(script->tokens, 50);
  EXPECT_EQ(script->token_bytes, 64);
  EXPECT_EQ(script->load, seconds(2));
  EXPECT_EQ(script->comments, seconds(1));
  EXPECT_EQ(script->error, 503);
  EXPECT_EQ(script->error_calls, 2);
  EXPECT_EQ(script->retry_after, 1);
  EXPECT_EQ(script->cut, 5);
  EXPECT_EQ(script->cut_as, CutAs::kReset);
  EXPECT_EQ(script->error_event, 4);
  EXPECT_EQ(script->silence_after, 3);
  EXPECT_EQ(parse_script("silence_after=head", {})->silence_after, StubScript::kAtHead);
}

TEST(Script, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(parse_script("tokns=5", {}).error().message,
            "unknown stub setting 'tokns', did you mean 'tokens'?");
  for (const char* wrong : {"first", "first=", "first=5", "first=-1ms", "tokens=x", "tokens=-1",
                            "error=200", "error=700", "cut_as=no", "cut=head", "=5", ","}) {
    EXPECT_FALSE(parse_script(wrong, {}).ok()) << wrong;
  }
}

TEST(Script, ModelNameSetsOnTopOfDefaults) {
  const StubScript defaults{.first = milliseconds(9), .tokens = 4};
  EXPECT_EQ(script_of_model("stub:tokens=7", defaults)->tokens, 7);
  EXPECT_EQ(script_of_model("stub:tokens=7", defaults)->first, milliseconds(9));
  EXPECT_EQ(script_of_model("llama3:8b", defaults)->tokens, 4);
  EXPECT_EQ(script_of_model("plain", defaults)->tokens, 4);
  EXPECT_FALSE(script_of_model("stub:nonsense=1", defaults).ok());
}

TEST(Timeline, WholeStream) {
  EXPECT_EQ(letters(""), "HTTTFD.");
  EXPECT_EQ(letters("tokens=0"), "HFD.");
  EXPECT_EQ(letters_of(steps_of({.tokens = 1}, Delivery::kStreamed, UsageChunk::kSent)), "HTFUD.");
  EXPECT_EQ(letters("", Delivery::kWhole), "A");
}

TEST(Timeline, WaitsBeforeEachStep) {
  const auto steps =
      steps_of({.first = milliseconds(100), .interval = milliseconds(10), .tokens = 2});
  EXPECT_EQ(steps[0].after, milliseconds(7));  // the model's load
  EXPECT_EQ(steps[1].after, milliseconds(100));
  EXPECT_EQ(steps[2].after, milliseconds(10));
  EXPECT_EQ(steps[3].after, Duration{});
  const auto whole = steps_of(
      {.first = milliseconds(100), .interval = milliseconds(10), .tokens = 3}, Delivery::kWhole);
  EXPECT_EQ(whole[0].after, milliseconds(127));
}

TEST(Timeline, Faults) {
  EXPECT_EQ(letters("error=500"), "e");
  EXPECT_EQ(letters("cut=2"), "HTTf");
  EXPECT_EQ(letters("cut=0,cut_as=reset"), "Hr");
  EXPECT_EQ(letters("cut=3,cut_as=end"), "HTTT.");
  EXPECT_EQ(letters("error_event=1"), "HTED.");
  EXPECT_EQ(letters("silence_after=2"), "HTTs");
  EXPECT_EQ(letters("silence_after=head"), "s");
  EXPECT_EQ(letters("error=500", Delivery::kWhole), "e");
  EXPECT_EQ(letters("cut=2", Delivery::kWhole), "f");
  EXPECT_EQ(letters("cut=2,cut_as=end", Delivery::kWhole), ".");
  EXPECT_EQ(letters("error_event=1", Delivery::kWhole), "e");
  EXPECT_EQ(letters("silence_after=2", Delivery::kWhole), "s");
}

TEST(Timeline, CommentsFillTheWaitWithoutMakingItLonger) {
  const auto steps = steps_of({.first = milliseconds(100),
                               .interval = milliseconds(10),
                               .tokens = 2,
                               .comments = milliseconds(30)});
  EXPECT_EQ(letters_of(steps), "HcccTTFD.");
  Duration sum{};
  for (std::size_t i = 1; i <= 4; ++i) sum += steps[i].after;
  EXPECT_EQ(sum, milliseconds(100));
}

TEST(Token, WriteAndParse) {
  std::string text;
  append_token(text, {17, 3}, 0);
  EXPECT_EQ(text, " c17t3");
  append_token(text, {17, 4}, 9);
  EXPECT_EQ(text, " c17t3 c17t4xxx");
  EXPECT_EQ(parse_token(" c17t4xxx")->index, 4U);
  for (const char* wrong : {"", "c1t1", " c1", " ct1", " c1t", " c1t1 ", " c1t-1", " c1t1y"}) {
    EXPECT_FALSE(parse_token(wrong).has_value()) << wrong;
  }
}

TEST(Token, TrailIsTheSameForEverySplit) {
  const std::string text = " c9t0 c9t1xx c9t2";
  for (std::size_t split = 0; split <= text.size(); ++split) {
    TokenTrail trail;
    trail.add(std::string_view(text).substr(0, split));
    trail.add(std::string_view(text).substr(split));
    EXPECT_EQ(trail.finish(), TokenTrail::State::kSound) << split;
    EXPECT_EQ(trail.count(), 3U);
    EXPECT_EQ(trail.call(), 9U);
  }
}

TEST(Token, TrailSeesCorruption) {
  const auto judge = [](std::string_view text) {
    TokenTrail trail;
    trail.add(text);
    return trail.finish();
  };
  EXPECT_EQ(judge(" c1t0 c2t1"), TokenTrail::State::kMixedCalls);
  EXPECT_EQ(judge(" c1t0 c1t2"), TokenTrail::State::kGap);
  EXPECT_EQ(judge(" c1t1"), TokenTrail::State::kGap);
  EXPECT_EQ(judge(" c1t0 c1t0"), TokenTrail::State::kGap);
  EXPECT_EQ(judge(" c1t0 hello"), TokenTrail::State::kNotTokens);
}

}  // namespace
}  // namespace slipstream::lab
