// Every surface that streams: whole for everybody, or broken in its own terms, never in between.
#include <ostream>

#include "faults/scene.h"
#include "upstream/failure.h"

namespace slipstream::faults {
namespace {

constexpr std::string_view kEvents = "text/event-stream";
constexpr std::string_view kLines = "application/x-ndjson";

struct Speech {
  std::string_view name;
  std::string_view path;
  std::string_view body;  // a request for a stream that may share
  std::string_view content_type;
  std::string opening;                            // before the first token
  std::string token;                              //
  std::string finish;                             // through the last event
  std::string error;                              // the upstream's own, as an event
  std::string error_object;                       // the same as the body of an answer
  std::string (*told)(std::string_view message);  // the gateway's, as an event
  std::string (*body_told)(std::string_view message, std::string_view type);
  std::string_view keep_alive;  // empty: none

  std::string whole() const { return opening + token + finish; }
};

std::string event(std::string_view name, std::string_view members) {
  std::string out = "event: " + std::string(name) + "\ndata: {\"type\":\"" + std::string(name);
  return out + '"' + std::string(members) + "}\n\n";
}
std::string unnamed(std::string_view json) {
  return "data: " + std::string(json) + "\n\n";
}
std::string openai_body(std::string_view message, std::string_view type) {
  return R"({"error":{"message":")" + std::string(message) + R"(","type":")" +
         (type == "api_error" ? "upstream_error" : std::string(type)) + R"(","param":null,)";
}
std::string openai_event(std::string_view message) {
  return "data: " + openai_body(message, "api_error");
}
std::string responses_event(std::string_view message) {
  return R"(,"message":")" + std::string(message) + R"(","param":null,)" +
         openai_body(message, "api_error").replace(0, 1, "");
}
std::string anthropic_body(std::string_view message, std::string_view type) {
  return R"({"type":"error","error":{"type":")" + std::string(type) + R"(","message":")" +
         std::string(message) + "\"}}";
}
std::string anthropic_event(std::string_view message) {
  return "event: error\ndata: " + anthropic_body(message, "api_error") + "\n\n";
}
std::string ollama_body(std::string_view message, std::string_view) {
  return R"({"error":")" + std::string(message) + "\"}";
}
std::string ollama_event(std::string_view message) {
  return ollama_body(message, {}) + "\n";
}

constexpr std::string_view kComment = ": waiting for the upstream\n\n";

Speech completions() {
  const std::string error = R"({"error":{"message":"exploded","code":500}})";
  return {
      "completions",
      "/v1/completions",
      R"({"model":"m","prompt":"hi","temperature":0,"stream":true})",
      kEvents,
      "",
      unnamed(R"({"choices":[{"index":0,"text":"a","finish_reason":null}]})"),
      unnamed(R"({"choices":[{"index":0,"text":"","finish_reason":"stop"}]})") + unnamed("[DONE]"),
      unnamed(error),
      error,
      openai_event,
      openai_body,
      kComment};
}

Speech responses() {
  return {
      "responses",
      "/v1/responses",
      R"({"model":"m","input":"hi","temperature":0,"store":false,"stream":true})",
      kEvents,
      event("response.created", R"(,"response":{"id":"r","error":null})"),
      event("response.output_text.delta", R"(,"delta":"a")"),
      event("response.completed", R"(,"response":{"id":"r","status":"completed","error":null})"),
      event("error", R"(,"code":"server_error","message":"exploded","param":null)"),
      R"({"error":{"type":"error","code":"server_error","message":"exploded","param":null}})",
      responses_event,
      openai_body,
      kComment};
}

Speech messages() {
  const std::string error = R"(,"error":{"type":"api_error","message":"exploded"})";
  return {
      "messages",
      "/v1/messages",
      R"({"model":"m","messages":[],"max_tokens":8,"temperature":0,"stream":true})",
      kEvents,
      event("message_start", R"(,"message":{"content":[]})") + event("ping", ""),
      event("content_block_delta", R"(,"delta":{"type":"text_delta","text":"a"})"),
      event("message_delta", R"(,"delta":{"stop_reason":"end_turn"})") + event("message_stop", ""),
      event("error", error),
      "{\"type\":\"error\"" + error + "}",
      anthropic_event,
      anthropic_body,
      "event: ping\ndata: {\"type\":\"ping\"}\n\n"};
}

Speech ollama_chat() {
  const std::string error = R"({"error":"exploded"})";
  return {"ollama_chat",
          "/api/chat",
          R"({"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":0,)"
          R"("options":{"temperature":0},"stream":true})",
          kLines,
          "{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":false}\n",
          "{\"message\":{\"content\":\"a\"},\"done\":false}\n",
          "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n",
          error + "\n",
          error + "\n",
          ollama_event,
          ollama_body,
          ""};
}

Speech ollama_generate() {
  Speech speech = ollama_chat();
  speech.name = "ollama_generate";
  speech.path = "/api/generate";
  speech.body = R"({"model":"m","prompt":"hi","temperature":0,"options":{"temperature":0},)"
                R"("stream":true})";
  speech.opening = "";
  speech.token = "{\"response\":\"a\",\"done\":false}\r\n";
  speech.finish = "{\"response\":\"\",\"done\":true}\n";
  return speech;
}

void PrintTo(const Speech& speech, std::ostream* out) {
  *out << speech.name;
}

// The scene, with a request of the surface.
struct Stage : Scene {
  Stage(const Speech& of, Gate::Options options = {})
      : Scene([&] {
          // Of Ollama, which answers all of these, greedy decoding is known.
          options.emplace_back("upstream.profile", "ollama");
          options.emplace_back("coalesce.harmless_fields", "temperature");
          options.emplace_back("retry.budget_ratio", "100");
          return options;
        }()),
        speech(of) {}

  Caller ask(std::string_view fields = {}) {
    Caller caller(gate);
    caller.post(speech.body, fields, speech.path);
    return caller;
  }
  Caller follow(std::string_view fields = {}) {
    const std::uint64_t before = gate.followers();
    Caller caller = ask(fields);
    gate.wait_followers(before + 1);
    return caller;
  }
  Call& start(std::string_view bytes) {
    Call& call = upstream.wait_call();
    call.start_stream(Transfer::kChunked, {}, speech.content_type);
    call.stream(bytes);
    return call;
  }
  void expect_whole(const Answer& answer) {
    expect_stream(answer, speech.whole());
    EXPECT_EQ(answer.field("content-type"), speech.content_type);
  }
  // Everything published, then the error in the surface's terms, then no honest end.
  void expect_broken(const Answer& answer, std::string_view published, std::string_view message) {
    EXPECT_EQ(answer.status(), 200);
    EXPECT_FALSE(answer.complete);
    EXPECT_FALSE(answer.wire.ends_with("\r\n0\r\n\r\n"));
    ASSERT_TRUE(answer.body.starts_with(published)) << answer.body;
    const std::string last = answer.body.substr(published.size());
    EXPECT_NE(last.find(speech.told(message)), std::string::npos) << last;
    const bool line = speech.content_type == kLines;
    EXPECT_EQ(last.find(line ? "\n" : "\n\n") + (line ? 1 : 2), last.size())
        << "one event: " << last;
  }

  const Speech& speech;
};

class Dialects : public testing::TestWithParam<Speech> {
 protected:
  static std::string_view message_of(upstream::FailureClass failure) {
    return upstream::rule_of(failure).message;
  }
};

INSTANTIATE_TEST_SUITE_P(Surfaces, Dialects,
                         testing::Values(completions(), responses(), messages(), ollama_chat(),
                                         ollama_generate()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(Dialects, EverybodyGetsTheWholeAnswerWheneverTheyCome) {
  Stage stage(GetParam());
  Caller leader = stage.ask();
  Call& call = stage.start(stage.speech.opening);
  Caller follower = stage.follow();
  call.stream(stage.speech.token);
  leader.wait_body(stage.speech.token);
  Caller late = stage.follow();
  late.wait_body(stage.speech.token);
  call.stream(stage.speech.finish);
  call.end_stream();
  for (Caller* caller : {&leader, &follower, &late}) stage.expect_whole(caller->finish());
  EXPECT_EQ(stage.gate.upstream_calls(), 1U);
  stage.gate.wait_quiet();
  EXPECT_EQ(stage.gate.flights_ended("whole"), 1U);
}

// H04 for lines and named events: the reads of the upstream do not show.
TEST_P(Dialects, EventsComeWholeHoweverTheyWereCut) {
  Stage stage(GetParam());
  Caller caller = stage.ask();
  Call& call = stage.start("");
  for (const char& byte : stage.speech.whole()) {
    call.stream({&byte, 1});
    call.flush();
  }
  call.end_stream();
  const Answer answer = caller.finish();
  stage.expect_whole(answer);
  for (const std::string& chunk : answer.chunks()) EXPECT_TRUE(chunk.ends_with('\n')) << chunk;
}

TEST_P(Dialects, H01H02H03_AStreamThatStopsIsBrokenForAllAndItsEndIsNotMadeUp) {
  enum class Death { kFin, kReset, kCleanEnd, kHalfAnEvent };
  for (const Death death : {Death::kFin, Death::kReset, Death::kCleanEnd, Death::kHalfAnEvent}) {
    SCOPED_TRACE(static_cast<int>(death));
    Stage stage(GetParam());
    Caller leader = stage.ask();
    Call& call = stage.start(stage.speech.opening);
    Caller follower = stage.follow();
    const std::string published = stage.speech.opening + stage.speech.token;
    call.stream(stage.speech.token);
    if (death == Death::kHalfAnEvent) {
      call.stream(stage.speech.finish.substr(0, stage.speech.finish.size() / 3));
    }
    call.flush();
    if (death == Death::kFin) call.fin();
    if (death == Death::kReset) call.reset();
    if (death == Death::kCleanEnd || death == Death::kHalfAnEvent) call.end_stream();
    const std::string_view message = message_of(upstream::FailureClass::kCut);
    for (Caller* caller : {&leader, &follower}) {
      stage.expect_broken(caller->finish(), published, message);
    }
    stage.gate.wait_quiet();
    EXPECT_EQ(stage.gate.flights_ended("cut"), 1U);
    EXPECT_EQ(stage.gate.upstream_calls(), 1U) << "H18: nothing is repeated after a token";
  }
}

TEST_P(Dialects, H18_AnErrorAfterTokensIsTheUpstreamsOwnAndEndsTheStreamForAll) {
  Stage stage(GetParam());
  Caller leader = stage.ask();
  Call& call = stage.start(stage.speech.opening + stage.speech.token);
  Caller follower = stage.follow();
  call.stream(stage.speech.error);
  call.stream(stage.speech.finish);
  call.end_stream();
  for (Caller* caller : {&leader, &follower}) {
    const Answer answer = caller->finish();
    EXPECT_EQ(answer.body, stage.speech.opening + stage.speech.token + stage.speech.error);
    EXPECT_FALSE(answer.complete);
  }
  EXPECT_EQ(stage.gate.upstream_calls(), 1U);
}

TEST_P(Dialects, AnErrorBeforeTheFirstTokenIsRetriedOnce) {
  for (const bool second_works : {true, false}) {
    Stage stage(GetParam());
    Caller caller = stage.ask();
    stage.start(stage.speech.opening + stage.speech.error);
    Call& second = stage.start(stage.speech.opening);
    second.stream(second_works ? stage.speech.token + stage.speech.finish : stage.speech.error);
    if (second_works) second.end_stream();
    const Answer answer = caller.finish();
    if (second_works) {
      stage.expect_whole(answer);
    } else {
      EXPECT_GE(answer.status(), 500);
      EXPECT_EQ(answer.body, stage.speech.error_object);
      EXPECT_EQ(answer.field("content-type"), "application/json");
    }
    EXPECT_EQ(stage.gate.upstream_calls(), 2U);
  }
}

TEST_P(Dialects, SilenceIsFilledOnlyWhereTheFramingHasRoomForIt) {
  Stage stage(GetParam(), {{"stream.keep_alive_comment", "20ms"}});
  Caller caller = stage.ask();
  Call& call = stage.upstream.wait_call();
  const std::string keep_alive(stage.speech.keep_alive);
  if (!keep_alive.empty()) {
    const Answer& early = caller.wait_body(keep_alive);
    EXPECT_EQ(early.status(), 200);
    EXPECT_EQ(early.field("content-type"), kEvents);
  } else {
    Caller other = stage.follow("x-slipstream-deadline: 100ms\r\n");
    EXPECT_EQ(other.finish().status(), 504) << "nothing was said before";
  }
  call.start_stream(Transfer::kChunked, {}, stage.speech.content_type);
  call.stream(stage.speech.whole());
  call.end_stream();
  Answer answer = caller.finish();
  while (!keep_alive.empty() && answer.body.starts_with(keep_alive)) {
    answer.body.erase(0, keep_alive.size());
  }
  expect_stream(answer, stage.speech.whole());
}

TEST_P(Dialects, AFailureAfterAnEarlyHeadIsAnErrorEvent) {
  if (GetParam().keep_alive.empty()) return;  // never opened early
  Stage stage(GetParam(), {{"stream.keep_alive_comment", "20ms"}, {"retry.enabled", "false"}});
  Caller caller = stage.ask();
  Call& call = stage.upstream.wait_call();
  caller.wait_body(stage.speech.keep_alive);
  call.fin();
  Answer answer = caller.finish();
  while (answer.body.starts_with(stage.speech.keep_alive)) {
    answer.body.erase(0, stage.speech.keep_alive.size());
  }
  stage.expect_broken(answer, "", message_of(upstream::FailureClass::kCut));
}

TEST_P(Dialects, ADeadlineIsToldInTheSurfacesTerms) {
  constexpr std::string_view kMessage = "The request's deadline passed.";
  Stage stage(GetParam());
  Caller waiting = stage.ask("x-slipstream-deadline: 100ms\r\n");
  Call& first = stage.upstream.wait_call();
  const Answer late = waiting.finish();
  EXPECT_EQ(late.status(), 504);
  EXPECT_TRUE(late.body.starts_with(stage.speech.body_told(kMessage, "api_error"))) << late.body;
  EXPECT_TRUE(first.aborted(kSoon));

  Caller reading = stage.ask("x-slipstream-deadline: 300ms\r\n");
  Call& second = stage.start(stage.speech.opening + stage.speech.token);
  stage.expect_broken(reading.finish(), stage.speech.opening + stage.speech.token, kMessage);
  EXPECT_TRUE(second.aborted(kSoon));
}

TEST_P(Dialects, RefusalsAreErrorBodiesOfTheSurface) {
  Stage stage(GetParam());
  Caller caller(stage.gate);
  caller.post(R"({"model":"m","model":"n"})", {}, stage.speech.path);
  const Answer ambiguous = caller.finish();
  EXPECT_EQ(ambiguous.status(), 400);
  const std::string reason = "The request body is not acceptable JSON";
  const std::string told = stage.speech.body_told(reason, "invalid_request_error");
  EXPECT_TRUE(ambiguous.body.starts_with(told.substr(0, told.find(reason) + reason.size())))
      << ambiguous.body;

  stage.upstream.stop_listening();
  caller.post(stage.speech.body, {}, stage.speech.path);
  const Answer nobody = caller.finish();
  EXPECT_EQ(nobody.status(), 502);
  const std::string_view message = message_of(upstream::FailureClass::kConnect);
  EXPECT_TRUE(nobody.body.starts_with(stage.speech.body_told(message, "api_error"))) << nobody.body;
}

}  // namespace
}  // namespace slipstream::faults
