#include "contract/judge.h"

#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "gtest/gtest.h"
#include "sse/splitter.h"

namespace slipstream::contract {
namespace {

JudgeMemory& memory() {
  static JudgeMemory shared;
  return shared;
}

constexpr Surface kChat = Surface::kChatCompletions;

using Kinds = std::vector<EventKind>;

// Everything a judge can say, for comparison.
struct Judgement {
  Kinds kinds;
  Ending ending = Ending::kCut;
  bool done = false;
  bool usage_known = false;
  std::uint64_t prompt = 0;
  std::uint64_t completion = 0;
  std::uint64_t tokens = 0;
  int error_status = 0;
  bool operator==(const Judgement&) const = default;
};

// Feeds `stream` through a splitter in two pieces, or byte by byte.
class Case {
 public:
  void feed(std::string_view piece) {
    sse::Event event;
    while (splitter_.next(piece, event) == sse::Splitter::Step::kEvent) observe(event.raw);
  }
  Judgement finish() {
    sse::Event event;
    if (splitter_.finish(event) == sse::Splitter::Step::kEvent) observe(event.raw);
    if (!splitter_.rest().empty()) observe(splitter_.rest());
    const Usage& usage = judge_.usage();
    return {kinds_,
            judge_.ending(),
            judge_.done_seen(),
            usage.known,
            usage.prompt_tokens,
            usage.completion_tokens,
            judge_.semantic_events(),
            judge_.error_status()};
  }

 private:
  void observe(std::string_view raw) { kinds_.push_back(judge_.observe(raw)); }
  sse::Splitter splitter_;
  StreamJudge judge_{memory(), kChat};
  Kinds kinds_;
};

Judgement cut_at(std::string_view stream, std::size_t cut) {
  Case split;
  split.feed(stream.substr(0, cut));
  split.feed(stream.substr(cut));
  return split.finish();
}

Judgement judge(std::string_view stream) {
  return cut_at(stream, stream.size());
}

void expect_same_for_all_cuts(std::string_view stream) {
  const Judgement expected = judge(stream);
  Case bytes;
  for (const char& c : stream) bytes.feed({&c, 1});
  EXPECT_EQ(bytes.finish(), expected) << stream;
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    EXPECT_EQ(cut_at(stream, cut), expected) << stream << " cut at " << cut;
  }
}

// judge_body, which the filter before it must never contradict.
BodyJudgement judged(std::string_view body) {
  const BodyJudgement judgement = judge_body(body, kChat, memory());
  EXPECT_TRUE(!judgement.error || may_be_error(body)) << body;
  return judgement;
}

EventKind kind_of(std::string_view data) {
  judged(data);
  StreamJudge one(memory(), kChat);
  return one.observe("data: " + std::string(data) + "\n\n");
}

std::string chunk(std::string_view delta, std::string_view finish = "null", int index = 0) {
  return R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":)" +
         std::to_string(index) + R"(,"delta":)" + std::string(delta) +
         R"(,"logprobs":null,"finish_reason":)" + std::string(finish) + "}]}\n\n";
}
const std::string kRole = chunk(R"({"role":"assistant","content":""})");
const std::string kHello = chunk(R"({"content":"Hello"})");
const std::string kStop = chunk("{}", "\"stop\"");
const std::string kUsage =
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2,"
    "\"total_tokens\":11,\"prompt_tokens_details\":{\"cached_tokens\":3}}}\n\n";
const std::string kDone = "data: [DONE]\n\n";

TEST(StreamJudge, TellsWhatAnEventIs) {
  StreamJudge one(memory(), kChat);
  EXPECT_EQ(one.observe(kRole), EventKind::kPreamble);
  EXPECT_EQ(one.observe(kHello), EventKind::kSemantic);
  EXPECT_EQ(one.observe(kStop), EventKind::kSemantic);
  EXPECT_EQ(one.observe(kUsage), EventKind::kUsage);
  EXPECT_EQ(one.observe(kDone), EventKind::kDone);
  EXPECT_EQ(one.observe(": ping\n\n"), EventKind::kComment);
  EXPECT_EQ(one.observe("\n"), EventKind::kComment);
  EXPECT_EQ(one.semantic_events(), 1u);  // a finish reason is no token
  EXPECT_EQ(one.usage().prompt_tokens, 9u);
  EXPECT_EQ(one.usage().completion_tokens, 2u);
}

TEST(StreamJudge, KnowsEveryKindOfToken) {
  for (const char* delta :
       {R"({"content":"a"})", R"({"reasoning":"a"})", R"({"reasoning_content":"a"})",
        R"({"refusal":"no"})", R"({"function_call":{"name":"f","arguments":""}})",
        R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]})",
        R"({"role":"assistant","content":"a"})", R"({"content":"\""})", R"({"content":" "})",
        R"({"content" : "a"})", R"({"\u0063ontent":"a"})", R"({"content":[{"type":"text"}]})"}) {
    EXPECT_EQ(StreamJudge(memory(), kChat).observe(chunk(delta)), EventKind::kSemantic) << delta;
  }
  for (const char* delta :
       {"{}", "null", R"({"content":""})", R"({"content":null})", R"({"role":"assistant"})",
        R"({"role":"assistant","content":null,"refusal":null})", R"({"tool_calls":[]})",
        R"({"tool_calls":null})", R"({"function_call":null})", R"({"content":"" , "x":"y"})"}) {
    EXPECT_EQ(StreamJudge(memory(), kChat).observe(chunk(delta)), EventKind::kPreamble) << delta;
  }
}

TEST(StreamJudge, LeavesWhatItDoesNotUnderstandAlone) {
  for (const char* data : {"",
                           "hello",
                           "{",
                           "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]",
                           "[]",
                           "1",
                           "null",
                           "{\"choices\":[]}",
                           "{\"choices\":{}}",
                           "{\"choices\":null}",
                           "{}",
                           "{} {}",
                           "{}}",
                           "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}x",
                           "{\"type\":\"ping\"}",
                           "{\"error\":null}",
                           "{\"error\":false}",
                           "{\"usage\":null,\"choices\":[]}",
                           "{\"a\":\"\xFF\"}",
                           "[DONE",
                           "{\"a\" 1}"}) {
    EXPECT_EQ(kind_of(data), EventKind::kOther) << data;
  }
  EXPECT_EQ(StreamJudge(memory(), kChat).observe("event: ping\n\n"), EventKind::kOther);
  EXPECT_EQ(StreamJudge(memory(), kChat).observe("event: ping\ndata: {\"type\":\"ping\"}\n\n"),
            EventKind::kOther);
  EXPECT_EQ(StreamJudge(memory(), kChat).observe("retry: 1\n\n"), EventKind::kOther);
  EXPECT_EQ(StreamJudge(memory(), kChat).observe("id: 1\n\n"), EventKind::kOther);
}

TEST(StreamJudge, NeedsBracketsThatPairUp) {
  const std::string head = R"({"choices":[{"delta":{"content":"a"}}])";
  EXPECT_EQ(kind_of(head + "}"), EventKind::kSemantic);
  EXPECT_EQ(kind_of(head + R"(,"a":[[{}],{"b":"]"}]})"), EventKind::kSemantic);
  EXPECT_EQ(kind_of(head + R"(,"a":"cut )" + "\xE4\xBD" + "\"}"), EventKind::kSemantic);
  for (const char* tail :
       {"", ",}", R"(,"a":[1}})", R"(,"a":{"b":1]})", R"(,"a":"})", "}}", "}]", "},", "},{}",
        R"(,"a":1 2})", R"(,"a"})", R"(,"\q":1})", ",\"a\":\"\t\"}"}) {
    EXPECT_EQ(kind_of(head + tail), EventKind::kOther) << tail;
  }
  const std::string deep = std::string(2000, '[') + std::string(2000, ']');
  EXPECT_EQ(kind_of(head + ",\"a\":" + deep + "}"), EventKind::kOther);
}

TEST(StreamJudge, NeverCountsABrokenEvent) {
  StreamJudge one(memory(), kChat);
  one.observe(kHello);
  one.observe("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]\n\n");
  EXPECT_EQ(one.ending(), Ending::kCut);
}

TEST(StreamJudge, NeedsAFinishReasonOfEveryChoice) {
  const std::string two = kHello + chunk(R"({"content":"b"})", "null", 1);
  EXPECT_EQ(judge(two + kStop).ending, Ending::kCut);
  EXPECT_EQ(judge(two + kStop + kDone).ending, Ending::kClaimed);
  EXPECT_EQ(judge(two + kStop + chunk("{}", "\"length\"", 1)).ending, Ending::kWhole);
  EXPECT_EQ(judge(chunk("{}", "\"stop\"", 63)).ending, Ending::kWhole);
  EXPECT_EQ(judge(chunk("{}", "\"stop\"", 64) + kStop + kDone).ending, Ending::kClaimed);
  EXPECT_EQ(judge(chunk("{}", "\"stop\"", -1) + kStop).ending, Ending::kCut);
  EXPECT_EQ(judge(kHello + chunk("{}", "\"\"") + kDone).ending, Ending::kClaimed);
}

TEST(StreamJudge, TellsHowAStreamEnded) {
  EXPECT_EQ(judge("").ending, Ending::kCut);
  EXPECT_EQ(judge(kRole + kHello).ending, Ending::kCut);
  EXPECT_EQ(judge(kRole + kHello + kDone).ending, Ending::kClaimed);
  EXPECT_EQ(judge(kDone).ending, Ending::kClaimed);
  EXPECT_EQ(judge(kRole + kHello + kStop).ending, Ending::kWhole);
  EXPECT_EQ(judge(kRole + kHello + kStop + kUsage + kDone + kDone).ending, Ending::kWhole);
}

TEST(StreamJudge, ReadsTheStatusOfAnError) {
  const std::vector<std::tuple<std::string, int>> cases = {
      {R"({"error":{"message":"m","type":"BadRequestError","param":null,"code":400}})", 400},
      {R"({"error":{"message":"m","type":"rate_limit_exceeded","code":null}})", 429},
      {R"({"error":{"message":"m","type":"tokens","code":"rate_limit_exceeded"}})", 429},
      {R"({"type":"error","error":{"type":"overloaded_error","message":"m"}})", 529},
      {R"({"error":{"type":"server_error"}})", 500},
      {R"({"error":{"type":"internal"}})", 500},
      {R"({"error":{"code":503,"type":"server_error"}})", 503},
      {R"({"error":{"type":"server_error","code":503}})", 503},
      {R"({"error":{"code":200}})", 502},
      {R"({"error":{"code":600}})", 502},
      {R"({"error":{"message":"m"}})", 502},
      {R"({"error":{}})", 502},
      {R"({"error":"Request failed","error_type":"generation"})", 502},
      {R"({"object":"error","message":"m","type":"InternalServerError","code":500})", 500},
  };
  for (const auto& [data, status] : cases) {
    StreamJudge one(memory(), kChat);
    EXPECT_EQ(one.observe("data: " + data + "\n\n"), EventKind::kError) << data;
    EXPECT_EQ(one.error_status(), status) << data;
    EXPECT_TRUE(judged(data).error) << data;
    EXPECT_EQ(one.ending(), Ending::kCut) << data;
  }
}

TEST(StreamJudge, AnErrorEventNeedsNoErrorObject) {
  StreamJudge bare(memory(), kChat);
  EXPECT_EQ(bare.observe("event: error\ndata: {\"code\":503,\"message\":\"m\"}\n\n"),
            EventKind::kError);
  EXPECT_EQ(bare.error_status(), 503);
  EXPECT_EQ(StreamJudge(memory(), kChat).observe("event: error\ndata: broken\n\n"),
            EventKind::kError);
  EXPECT_EQ(StreamJudge(memory(), kChat).observe("event: error\n\n"), EventKind::kError);
}

// One stream per server, framed as that server frames it.
TEST(StreamJudge, OpenAi) {  // usage: null on every chunk, obfuscation pads sizes
  std::string first = kRole, hello = kHello;
  for (std::string* text : {&first, &hello}) {
    text->replace(text->rfind('}'), 1, R"(,"usage":null,"obfuscation":"k3"})");
  }
  const Judgement told = judge(first + hello + kStop + kUsage + kDone);
  EXPECT_EQ(told.kinds, (Kinds{EventKind::kPreamble, EventKind::kSemantic, EventKind::kSemantic,
                               EventKind::kUsage, EventKind::kDone}));
  EXPECT_EQ(told.ending, Ending::kWhole);
}

TEST(StreamJudge, VllmSendsItsMarkerAlsoAfterAnError) {
  const Judgement told = judge(kRole + kHello +
                               "data: "
                               "{\"error\":{\"message\":\"x\",\"type\":\"InternalServerError\","
                               "\"param\":null,\"code\":500}}\n\n" +
                               kDone);
  EXPECT_EQ(told.kinds.at(2), EventKind::kError);
  EXPECT_TRUE(told.done);
  EXPECT_EQ(told.error_status, 500);
  EXPECT_EQ(told.ending, Ending::kCut);
}

TEST(StreamJudge, VllmContinuousUsageKeepsTheLastCount) {
  std::string late = kHello;
  late.replace(late.rfind('}'), 1, R"(,"usage":{"prompt_tokens":9,"completion_tokens":1}})");
  const Judgement told = judge(late + kUsage);
  EXPECT_EQ(told.kinds.at(0), EventKind::kSemantic);
  EXPECT_EQ(told.completion, 2u);
}

TEST(StreamJudge, LlamaCppErrorEndsWithoutMarker) {
  const Judgement told =
      judge(":\n\n" + kHello +
            "data: {\"error\":{\"code\":500,\"message\":\"m\",\"type\":\"server_error\"}}\n\n");
  EXPECT_EQ(told.kinds, (Kinds{EventKind::kComment, EventKind::kSemantic, EventKind::kError}));
  EXPECT_FALSE(told.done);
}

TEST(StreamJudge, OllamaLosesItsErrorAndStops) {
  EXPECT_EQ(judge(kHello + chunk(R"({"role":"assistant","content":""})")).ending, Ending::kCut);
}

TEST(StreamJudge, TgiWritesNoSpaceAndAnErrorText) {
  std::string hello = kHello;
  hello.erase(hello.find(' '), 1);
  EXPECT_EQ(judge(hello).kinds, Kinds{EventKind::kSemantic});
  EXPECT_EQ(judge("data:{\"error\":\"Request failed\",\"error_type\":\"generation\"}\n\n").kinds,
            Kinds{EventKind::kError});
}

TEST(StreamJudge, LlamaCppPythonUsesCrlfAndTimedComments) {
  std::string stream = ": ping - 2026-01-01 00:00:00\n\n" + kRole + kHello + kStop + kDone;
  for (std::size_t at = 0; (at = stream.find('\n', at)) != std::string::npos; at += 2) {
    stream.replace(at, 1, "\r\n");
  }
  const Judgement told = judge(stream);
  EXPECT_EQ(told.kinds, (Kinds{EventKind::kComment, EventKind::kPreamble, EventKind::kSemantic,
                               EventKind::kSemantic, EventKind::kDone}));
  EXPECT_EQ(told.ending, Ending::kWhole);
}

// What stream clients stumble over: the judge does not.
TEST(StreamJudge, OddFramingChangesNothing) {
  const Judgement plain = judge(kHello + kStop + kDone);
  std::string pretty =
      "data: {\"choices\":[\ndata: {\"index\":0,\ndata: \"delta\":{\"content\":\"a\"}}]}\n\n";
  EXPECT_EQ(judge(pretty + kStop + kDone).ending, plain.ending);
  EXPECT_EQ(judge("\xEF\xBB\xBF" + kHello + kStop + kDone).kinds, plain.kinds);
  EXPECT_EQ(judge(kHello + kStop + "data: [DONE]").kinds, plain.kinds);  // no last blank line
  EXPECT_EQ(judge(kHello + kStop + "data:[DONE]\n\n").kinds, plain.kinds);
  EXPECT_EQ(judge(kHello + kStop + kDone + "data: {\"after\":1}\n\n").ending, plain.ending);
  const std::string big = chunk("{\"content\":\"" + std::string(300 * 1024, 'x') + "\"}");
  EXPECT_EQ(judge(kHello + big + kHello + kStop).tokens, 3u);
}

TEST(StreamJudge, H03NeverTakesABrokenStreamForAFinishedOne) {
  const std::string stream = kRole + kHello + kHello;
  for (std::size_t length = 0; length <= stream.size(); ++length) {
    const Judgement told = judge(std::string_view(stream).substr(0, length));
    EXPECT_EQ(told.ending, Ending::kCut) << length;
    EXPECT_FALSE(told.done) << length;
  }
}

TEST(StreamJudge, H04UsageSurvivesEveryCut) {
  const std::string stream = kRole + kHello + kStop + kUsage + kDone;
  EXPECT_TRUE(judge(stream).usage_known);
  expect_same_for_all_cuts(stream);
}

TEST(StreamJudge, H05CharactersSurviveEveryCut) {
  expect_same_for_all_cuts(chunk("{\"content\":\"\xE4\xBD\xA0\xE5\xA5\xBD\xF0\x9F\x8C\x8D\"}") +
                           kStop);
}

TEST(StreamJudge, H06OneEventOfTwoDataLines) {
  const std::string stream =
      "data: {\"choices\":[{\"index\":0,\"finish_reason\":\r\ndata: \"stop\"}]}\r\n\r\n";
  EXPECT_EQ(judge(stream).kinds, Kinds{EventKind::kSemantic});
  expect_same_for_all_cuts(stream);
}

TEST(StreamJudge, H07CommentsAreNoTokens) {
  const std::string comment = ": PROCESSING\n\n";
  const std::string stream = comment + kRole + comment + kHello + comment + kStop + kDone;
  EXPECT_EQ(judge(stream).kinds.front(), EventKind::kComment);
  EXPECT_EQ(judge(stream).tokens, 1u);
  expect_same_for_all_cuts(stream);
}

TEST(BodyJudgement, ReadsAWholeAnswer) {
  const BodyJudgement told = judged(
      R"({"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"},
          {"index":1,"message":{"content":"b"},"finish_reason":"length"}],
          "usage":{"prompt_tokens":3,"completion_tokens":4}})");
  EXPECT_FALSE(told.error);
  EXPECT_TRUE(told.finished);
  EXPECT_TRUE(told.usage.known);
  EXPECT_EQ(told.usage.completion_tokens, 4u);
}

TEST(BodyJudgement, IsNotFinishedWithoutEveryFinishReason) {
  for (const char* body :
       {R"({"choices":[{"index":0,"finish_reason":null}]})", R"({"choices":[{"index":0}]})",
        R"({"choices":[{"index":0,"finish_reason":"stop"},{"index":1,"finish_reason":null}]})",
        R"({"choices":[{"finish_reason":"stop"},{"finish_reason":null}]})", R"({"choices":[]})",
        "{}", "", R"({"choices":[{"index":0,"finish_reason":"stop"}])", "[]", "text"}) {
    EXPECT_FALSE(judged(body).finished) << body;
    EXPECT_FALSE(judged(body).error) << body;
  }
}

TEST(BodyJudgement, SeesAnErrorBehindA200) {
  const BodyJudgement told = judged(R"({"error":{"message":"m","code":503}})");
  EXPECT_TRUE(told.error);
  EXPECT_EQ(told.error_status, 503);
  EXPECT_TRUE(judged(R"({"error":"text"})").error);
  EXPECT_TRUE(judged(R"({"object":"error","message":"m","code":400})").error);
  EXPECT_EQ(judged(R"({"object":"error","message":"m","code":400})").error_status, 400);
  EXPECT_FALSE(judged(R"({"error":null,"choices":[]})").error);
}

// Spells `letters` as the inside of a JSON string, some letters as escapes.
std::string spelled(std::string_view letters, Random& random) {
  std::string out;
  for (const char c : letters) {
    char escape[8];
    std::snprintf(escape, sizeof escape, random.below(2) ? "\\u%04x" : "\\u%04X", c);
    random.below(4) == 0 ? out += escape : out += c;
  }
  return out;
}

// A random answer that mentions errors where they count and where they do not.
std::string random_answer(Random& random) {
  static constexpr std::string_view kWords[] = {"error", "object", "choices", "usage",
                                                "type",  "errors", "code",    "message"};
  static constexpr std::string_view kValues[] = {"null", "503",  R"({"code":503})", R"(["error"])",
                                                 "[]",   "true", R"("")",           "{}"};
  const auto word = [&] { return '"' + spelled(kWords[random.below(8)], random) + '"'; };
  std::string out = "{";
  for (std::uint64_t i = random.below(5); i > 0; --i) {
    out += word() + (random.below(2) ? ":" : " : ");
    out += random.below(2) ? word() : std::string(kValues[random.below(8)]);
    if (i > 1) out += random.below(20) == 0 ? ";" : ",";
  }
  if (random.below(3) == 0)
    out.insert(1, "\"padding\":\"" + std::string(random.below(40), 'e') + "\",");
  return out + (random.below(20) == 0 ? "" : "}");
}

TEST(BodyJudgement, TheFilterNeverMissesAnError) {
  SeededRandom random(1);
  int errors = 0;
  int passed = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string body = random_answer(random);
    errors += judged(body).error;
    passed += !may_be_error(body);
  }
  EXPECT_GT(errors, 5000);
  EXPECT_GT(passed, 5000);
}

TEST(BodyJudgement, TheFilterFindsErrorsWhereverTheyStand) {
  for (std::size_t before = 0; before < 40; ++before) {
    for (std::size_t behind = 0; behind < 40; ++behind) {
      const std::string head(before, ' '), tail(behind, ' ');
      EXPECT_TRUE(may_be_error(head + R"({"error":1})" + tail));
      EXPECT_TRUE(may_be_error(head + R"({"\u0065rror":1})" + tail));
      EXPECT_TRUE(may_be_error(head + R"({"err\u006Fr":1})" + tail));
      EXPECT_TRUE(may_be_error(head + R"({"object":"e\u0072ror"})" + tail));
      EXPECT_FALSE(may_be_error(head + R"({"errors":"\u00e4 \n \" "})" + tail));
    }
  }
  EXPECT_FALSE(may_be_error(""));
  EXPECT_FALSE(may_be_error("\""));
}

}  // namespace
}  // namespace slipstream::contract
