// H11, H13, H14, H19: who shares with whom, and how many calls that makes.
#include <map>

#include "contract/fields.h"
#include "faults/scene.h"

namespace slipstream::faults {
namespace {

void answer_stream(Call& call, std::string_view text) {
  call.start_stream();
  call.stream(whole_stream(text));
  call.end_stream();
}

// Three ways in which the older flight loses its place in the table.
TEST(Faults, H11_AnOldFlightsEndDoesNotRemoveTheNewerOne) {
  struct Case {
    const char* name;
    Gate::Options options;
    std::size_t published;       // by the first flight, before the second opens
    std::string_view of_second;  // header lines of the second request
  };
  const Case cases[] = {
      {"the caller wants a younger flight", {}, 1, "cache-control: max-age=0\r\n"},
      {"join window in bytes", {{"coalesce.join_window_bytes", "1KiB"}}, 2048, ""},
      {"log trimmed", {{"replay.flight_bytes_max", "64KiB"}}, 80 * 1024, ""},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    Scene scene(one.options);
    Caller a = scene.ask(chat());
    Call& first = scene.upstream.wait_call();
    const std::string long_token = token(std::string(one.published, 'x'));
    first.start_stream();
    first.stream(long_token);
    a.wait_body(long_token);

    Caller b = scene.ask(chat(), one.of_second);
    Call& second = scene.upstream.wait_call();
    first.stream(finish_event() + std::string(kDone));
    first.end_stream();
    expect_stream(a.finish(), long_token + finish_event() + std::string(kDone));

    Caller c = scene.follow(chat());
    answer_stream(second, "second");
    for (Caller* caller : {&b, &c}) expect_stream(caller->finish(), whole_stream("second"));
    scene.gate.wait_quiet();
    EXPECT_EQ(scene.upstream.calls(), 2U);
    EXPECT_EQ(scene.gate.upstream_calls(), 2U);
  }
}

// A and B differ in one field; C is A's twin. Returns A's role: where it leads, C must follow.
std::string differ_in(Scene& scene, const std::string& name, const char* value,
                      const char* other_value) {
  const auto body = [&](const char* with) {
    std::string out = name == "messages" ? "{" : R"({"messages":[],)";
    return out + "\"" + name + "\":" + with + "}";
  };
  const std::string a_body = body(value);
  const std::string b_body = body(other_value);
  const std::uint64_t followers = scene.gate.followers();
  Caller a = scene.ask(a_body);
  Caller b = scene.ask(b_body);
  std::vector<Call*> calls = {&scene.upstream.wait_call(), &scene.upstream.wait_call()};
  EXPECT_NE(calls[0]->body(), calls[1]->body());
  EXPECT_EQ(scene.gate.followers(), followers) << "A and B share";
  Caller c = scene.ask(a_body);
  wait_until(
      [&] {
        if (scene.gate.followers() > followers) return true;
        Call* call = scene.upstream.try_call(Duration::zero());
        if (call) calls.push_back(call);
        return call != nullptr;
      },
      "C to join or to call");
  for (Call* call : calls) {
    const char* text = call->body() == a_body ? "for A" : "for B";
    if (call->body().find("\"stream\":true") == std::string::npos) {
      call->answer(200, whole_body(text), kJson);
    } else {
      answer_stream(*call, text);
    }
  }
  const Answer a_answer = a.finish();
  EXPECT_TRUE(a_answer.has("for A") && b.finish().has("for B"));
  const Answer c_answer = c.finish();
  EXPECT_TRUE(c_answer.has("for A"));
  EXPECT_EQ(c_answer.role(), a_answer.role() == "leader" ? "follower" : "solo");
  return std::string(a_answer.role());
}

// The route shares sampled answers, so that nothing but the key keeps A and B apart.
TEST(Faults, H13_EveryFieldIsPartOfTheKeyKnownOrNot) {
  Scene scene({{"coalesce.sampled", "share"}, {"coalesce.harmless_fields", "x_foo"}});
  std::size_t shared = 0;
  std::vector<std::string> names = {"x_foo", "x_bar"};
  for (const contract::FieldRow& row :
       contract::fields_of(contract::Surface::kChatCompletions).rows())
    names.emplace_back(row.name);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const bool leads = differ_in(scene, name, R"("low")", R"("high")") == "leader";
    shared += leads ? 1 : 0;
    if (name == "x_foo") EXPECT_TRUE(leads);
    if (name == "x_bar") EXPECT_FALSE(leads);
    if (HasFailure()) return;
  }
  EXPECT_GT(shared, names.size() / 2) << "the test would prove nothing";
  differ_in(scene, "temperature", "0", "0.5");
  differ_in(scene, "max_tokens", "16", "17");
  differ_in(scene, "stream", "true", "false");
  differ_in(scene, "seed", "1", "null");
}

TEST(Faults, H14_TenantsNeverShareWhateverTheySend) {
  Scene scene;
  Caller a = scene.ask(chat(), "authorization: Bearer t1\r\n");
  Call& for_a = scene.upstream.wait_call();
  Caller d = scene.ask(chat(), "authorization: Bearer t2\r\n");
  Call& for_d = scene.upstream.wait_call();
  Caller nobody = scene.ask(chat());
  Call& for_nobody = scene.upstream.wait_call();
  EXPECT_EQ(for_a.field("authorization"), "Bearer t1");
  EXPECT_EQ(for_d.field("authorization"), "Bearer t2");
  EXPECT_FALSE(for_nobody.head().has("authorization"));
  EXPECT_NE(for_a.field("x-request-id"), for_d.field("x-request-id"));

  std::map<Call*, std::string> names = {{&for_a, "a"}, {&for_d, "d"}, {&for_nobody, "nobody"}};
  for (auto& [call, name] : names) {
    call->start_stream(Transfer::kChunked,
                       "set-cookie: session=" + name + "\r\nx-request-id: up-" + name + "\r\n");
    call->stream(whole_stream(name));
    call->end_stream();
  }
  const Answer to_a = a.finish();
  const Answer to_d = d.finish();
  const Answer to_nobody = nobody.finish();
  expect_stream(to_a, whole_stream("a"));
  expect_stream(to_d, whole_stream("d"));
  expect_stream(to_nobody, whole_stream("nobody"));
  EXPECT_EQ(to_a.field("set-cookie"), "session=a");
  EXPECT_EQ(to_d.field("set-cookie"), "session=d");
  for (const char* name : {"x-request-id", "x-upstream-request-id", "x-slipstream"}) {
    EXPECT_FALSE(to_a.field(name).empty()) << name;
    EXPECT_NE(to_a.field(name), to_d.field(name)) << name;
    EXPECT_NE(to_a.field(name), to_nobody.field(name)) << name;
  }
  EXPECT_EQ(scene.gate.followers(), 0U);
  EXPECT_EQ(scene.gate.leaders(), 3U);
}

// Answers every call with 429 until `callers` answers were delivered.
void always_limit(Scene& scene, std::uint64_t callers) {
  while (scene.gate.callers_ended("delivered") < callers) {
    if (Call* call = scene.upstream.try_call(milliseconds(10)))
      call->answer(429, R"({"error":{"message":"slow down","code":"limited"}})",
                   "content-type: application/json\r\nretry-after: 1\r\n");
  }
}

void expect_limited(const Answer& answer) {
  expect_error(answer, 429, "limited");
  EXPECT_GE(std::stoi("0" + std::string(answer.field("retry-after"))), 1);
  EXPECT_GE(std::stoi("0" + std::string(answer.field("retry-after-ms"))), 1000);
}

TEST(Faults, H19_FiftyIdenticalRequestsUnder429MakeTwoCalls) {
  Scene scene({{"retry.budget_ratio", "100"}});
  std::vector<Caller> callers;
  callers.push_back(scene.ask(chat()));
  Call& first = scene.upstream.wait_call();
  for (int i = 1; i < 50; ++i) callers.push_back(scene.follow(chat()));
  const Time refused_at = now();
  first.answer(429, R"({"error":{"message":"slow down","code":"limited"}})",
               "content-type: application/json\r\nretry-after: 1\r\n");
  always_limit(scene, 50);
  EXPECT_GE(now() - refused_at, milliseconds(950)) << "the upstream asked for a second of peace";
  for (Caller& caller : callers) expect_limited(caller.finish());
  EXPECT_EQ(scene.gate.upstream_calls(), 2U);
  EXPECT_EQ(scene.upstream.calls(), 2U);
  EXPECT_EQ(scene.gate.labelled("slipstream_retries_total", "rate_limited"), 1U);
}

TEST(Faults, H19_FiftyDifferentRequestsUnder429RetryWithinTheBudget) {
  Scene scene({{"retry.budget_ratio", "20"}, {"retry.budget_floor", "0"}});
  std::vector<Caller> callers;
  for (int i = 0; i < 50; ++i) callers.push_back(scene.ask(chat(std::to_string(i))));
  always_limit(scene, 50);
  int discouraged = 0;
  for (Caller& caller : callers) {
    const Answer answer = caller.finish();
    expect_limited(answer);
    if (answer.field("x-should-retry") == "false") ++discouraged;
  }
  EXPECT_GT(scene.gate.upstream_calls(), 50U);
  EXPECT_LE(scene.gate.upstream_calls(), 60U) << "a fifth of fifty may be repeated";
  EXPECT_EQ(scene.upstream.calls(), scene.gate.upstream_calls());
  EXPECT_GT(discouraged, 0) << "callers' libraries must not retry on top";
}

TEST(Faults, H19_WithoutBudgetNothingIsRepeated) {
  Scene scene({{"retry.budget_ratio", "0"}, {"retry.budget_floor", "0"}});
  std::vector<Caller> callers;
  for (int i = 0; i < 20; ++i) callers.push_back(scene.ask(chat(std::to_string(i))));
  always_limit(scene, 20);
  for (Caller& caller : callers) {
    const Answer answer = caller.finish();
    expect_limited(answer);
    EXPECT_EQ(answer.field("x-should-retry"), "false");
  }
  EXPECT_EQ(scene.gate.upstream_calls(), 20U);
}

}  // namespace
}  // namespace slipstream::faults
