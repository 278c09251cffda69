// H12, H15, H17, H20: broken answers, stale connections, slow readers, oversize bodies.
#include <cstdio>
#include <thread>

#include "faults/scene.h"

namespace slipstream::faults {
namespace {

const Gate::Options kNoBudget = {{"retry.budget_ratio", "0"}, {"retry.budget_floor", "0"}};
const Gate::Options kManyRetries = {{"retry.budget_ratio", "100"}};

void answer_stream(Call& call, std::string_view text) {
  call.start_stream();
  call.stream(whole_stream(text));
  call.end_stream();
}

// What makes the code on the flight's path refuse, by the stage it has reached.
struct Poison {
  const char* name;
  std::string before;  // published
  std::string wire;    // the upstream's bytes as they are
  int status;
  std::string_view code;
};

std::vector<Poison> poisons() {
  const std::string head =
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
  const std::string json = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
  const auto chunk = [](const std::string& data) {
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", data.size());
    return size + data + "\r\n";
  };
  const std::string published = role_event() + token("one");
  return {
      {"no HTTP at all", "", "SSH-2.0-dropbear\r\n\r\n", 502, "upstream_malformed"},
      {"head with two lengths", "", json + "content-length: 3\r\ncontent-length: 4\r\n\r\n", 502,
       "upstream_malformed"},
      {"bad chunk after the head", "", head + "zz\r\n", 502, "upstream_malformed"},
      {"oversize event after the head", "", head + chunk("data: " + std::string(9000, 'x')), 502,
       "upstream_malformed"},
      {"bad chunk mid-body", published, head + chunk(published) + "zz\r\n", 200,
       "upstream_malformed"},
      {"oversize event mid-body", published,
       head + chunk(published) + chunk("data: " + std::string(9000, 'x')), 200,
       "upstream_malformed"},
  };
}

void poison_once(Scene& scene, const Poison& poison) {
  SCOPED_TRACE(poison.name);
  const std::string body =
      chat("hi", poison.wire.find("json") == std::string::npos ? Stream::kYes : Stream::kNo);
  std::vector<Caller> callers;
  callers.push_back(scene.ask(body));
  Call& call = scene.upstream.wait_call();
  callers.push_back(scene.follow(body));
  callers.push_back(scene.follow(body));
  const Time poisoned_at = now();
  call.send(poison.wire);
  for (Caller& caller : callers) {
    const Answer answer = caller.finish();
    if (poison.status == 200) {
      expect_broken(answer, poison.before, poison.code);
    } else {
      expect_error(answer, poison.status, poison.code);
    }
  }
  EXPECT_LT(now() - poisoned_at, seconds(1));
  EXPECT_TRUE(call.aborted(kSoon)) << "a poisoned connection is not kept";
  call.reset();

  Caller next = scene.ask(body);
  Call& good = scene.upstream.wait_call();
  good.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n" +
            whole_stream("fine"));
  good.fin();
  const Answer answer = next.finish();
  expect_stream(answer, whole_stream("fine"));
  EXPECT_EQ(answer.role(), "leader");
  EXPECT_TRUE(good.aborted(kSoon));
  good.reset();
}

TEST(Faults, H12_APoisonedFlightFailsForAllAtOnceAndTheKeyIsFreeAgain) {
  Scene scene({{"retry.enabled", "false"}, {"upstream.response_bytes_max", "8KiB"}});
  std::size_t descriptors = 0;
  for (int round = 0; round < 4; ++round) {
    for (const Poison& poison : poisons()) poison_once(scene, poison);
    scene.gate.wait_quiet();
    wait_until([&] { return scene.gate.server().shared().connections.load() == 0; },
               "the callers' sessions to end");
    // The first round may open what is kept for good.
    if (round == 0) descriptors = open_descriptors();
  }
  wait_until([&] { return open_descriptors() <= descriptors; }, "descriptors to be closed");
  EXPECT_EQ(scene.gate.replay_bytes(), 0U);
}

// Before connect: nobody listens. Each caller's error comes at once and the key stays usable.
TEST(Faults, H12_AFailureBeforeConnectReachesEveryCaller) {
  Scene scene;
  scene.upstream.stop_listening();
  for (int round = 0; round < 3; ++round) {
    std::vector<Caller> callers;
    for (int i = 0; i < 3; ++i) callers.push_back(scene.ask(chat()));
    const Time asked_at = now();
    for (Caller& caller : callers) expect_error(caller.finish(), 502, "upstream_connect");
    EXPECT_LT(now() - asked_at, seconds(1));
    scene.gate.wait_quiet();
  }
}

// A keeps its connection, so that both of its requests are served by the same worker and its pool.
void warm_up(Scene& scene, Caller& a) {
  a.post(chat("warm"));
  Call& call = scene.upstream.wait_call();
  answer_stream(call, "warm");
  expect_stream(a.finish(), whole_stream("warm"));
  wait_until([&] { return scene.gate.server().idle_upstream_connections() == 1; },
             "the connection to be pooled");
}

TEST(Faults, H15_AStaleConnectionIsReplacedOnceAndForFree) {
  for (const bool by_reset : {false, true}) {
    Scene scene(kNoBudget);
    Caller a(scene.gate);
    warm_up(scene, a);
    a.post(chat());
    Call& stale = scene.upstream.wait_call();
    EXPECT_EQ(stale.connection(), 1);
    by_reset ? stale.reset() : stale.fin();
    Call& fresh = scene.upstream.wait_call();
    EXPECT_EQ(fresh.connection(), 2);
    EXPECT_EQ(fresh.body(), stale.body());
    answer_stream(fresh, "fresh");
    expect_stream(a.finish(), whole_stream("fresh"));
    EXPECT_EQ(scene.gate.upstream_calls(), 3U);
    EXPECT_EQ(scene.gate.labelled("slipstream_retries_total", "stale"), 1U);
  }
}

TEST(Faults, H15_AFreshConnectionThatClosesIsNoStaleOne) {
  Scene scene(kNoBudget);
  Caller a = scene.ask(chat());
  scene.upstream.wait_call().fin();
  expect_error(a.finish(), 502, "upstream_cut");
  scene.gate.wait_quiet();
  EXPECT_EQ(scene.gate.upstream_calls(), 1U);
}

TEST(Faults, H15_AReusedConnectionThatAnsweredAByteIsNoStaleOne) {
  Scene scene(kNoBudget);
  Caller a(scene.gate);
  warm_up(scene, a);
  a.post(chat());
  Call& call = scene.upstream.wait_call();
  EXPECT_EQ(call.connection(), 1);
  call.send("H");
  call.fin();
  expect_error(a.finish(), 502, "upstream_cut");
  scene.gate.wait_quiet();
  EXPECT_EQ(scene.gate.upstream_calls(), 2U);
}

TEST(Faults, H15_TheResendIsTheOneRetry) {
  Scene scene(kManyRetries);
  Caller a(scene.gate);
  warm_up(scene, a);
  a.post(chat());
  scene.upstream.wait_call().fin();
  scene.upstream.wait_call().fin();
  expect_error(a.finish(), 502, "upstream_cut");
  scene.gate.wait_quiet();
  EXPECT_EQ(scene.gate.upstream_calls(), 3U);
}

// A POST that passes through may act: it is not sent twice, stale connection or not.
TEST(Faults, H15_WhatMayActIsNotResent) {
  Scene scene(kManyRetries);
  Caller a(scene.gate);
  warm_up(scene, a);
  a.send("POST /v1/files HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\n\r\nab");
  Call& call = scene.upstream.wait_call();
  EXPECT_EQ(call.connection(), 1);
  call.fin();
  expect_error(a.finish(), 502, "upstream_stale");
  EXPECT_EQ(scene.gate.upstream_calls(), 2U);
}

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr int kEvents = 12800;  // 16 KiB each: 200 MiB

std::string numbered(int number) {
  return token(std::to_string(number) + std::string(16 * 1024, 'x'));
}

void send_all_numbered(Call& call) {
  call.start_stream();
  for (int i = 0; i < kEvents; ++i) call.stream(numbered(i));
  call.stream(finish_event() + std::string(kDone));
  call.end_stream();
}

// Reads the whole stream piece by piece, so that the test itself holds none of it.
void expect_all_numbered(Caller& caller, Scene& scene, std::uint64_t& replay_most,
                         std::uint64_t& resident_most) {
  caller.wait_head();
  for (int i = 0; i < kEvents; ++i) {
    caller.take_body(numbered(i));
    if (i % 64 != 0) continue;
    replay_most = std::max(replay_most, scene.gate.replay_bytes());
    resident_most = std::max(resident_most, resident_bytes());
  }
  const Answer rest = caller.finish();
  EXPECT_EQ(rest.body, finish_event() + std::string(kDone));
  EXPECT_TRUE(rest.complete);
}

TEST(Faults, H17_ACallerThatReadsNothingCostsABoundedAmountAndNobodyElse) {
  Scene scene({{"replay.flight_bytes_max", "1MiB"},
               {"replay.lag_bytes_max", "1MiB"},
               {"coalesce.join_window_bytes", "1MiB"},
               {"limits.send_buffer_bytes", "64KiB"}});
  Caller a(scene.gate, 16 * 1024);
  a.post(chat());
  Call& call = scene.upstream.wait_call();
  Caller b = scene.follow(chat());
  const std::uint64_t resident_before = resident_bytes();
  std::uint64_t resident_most = resident_before;
  std::uint64_t replay_most = 0;
  std::thread sender([&] { EXPECT_NO_THROW(send_all_numbered(call)); });
  EXPECT_NO_THROW(expect_all_numbered(b, scene, replay_most, resident_most));
  sender.join();
  EXPECT_LE(replay_most, 4 * kMiB);
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  EXPECT_LE(resident_most - resident_before, 16 * kMiB);
#endif
  scene.gate.expect_callers_ended("too_slow", 1);
  scene.gate.expect_callers_ended("delivered", 1);
  const Answer to_a = a.finish();
  EXPECT_FALSE(to_a.complete);
  EXPECT_EQ(to_a.end, Answer::End::kReset);
  EXPECT_TRUE(std::string_view(numbered(0) + numbered(1)).starts_with(to_a.body.substr(0, 16000)));
  scene.gate.wait_quiet();
  EXPECT_EQ(scene.gate.upstream_calls(), 1U);
}

void expect_413(Caller& caller, Scene& scene) {
  const Answer answer = caller.finish();
  EXPECT_EQ(answer.status(), 413);
  EXPECT_TRUE(answer.complete);
  EXPECT_FALSE(code_of(answer.body).empty()) << answer.body;
  EXPECT_EQ(answer.field("connection"), "close");
  EXPECT_EQ(scene.gate.upstream_calls(), 0U);
  EXPECT_EQ(scene.gate.leaders(), 0U);
  EXPECT_EQ(scene.gate.server().shared().table.size(), 0U);
}

TEST(Faults, H20_AnOversizeBodyGets413AndASocketThatLingers) {
  Scene scene({{"limits.body_bytes", "1KiB"}});
  const std::string post =
      "POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\n";
  for (const bool read_first : {true, false}) {
    Caller a(scene.gate);
    a.send(post + "content-length: 1025\r\n\r\n");
    a.flush();
    if (read_first) expect_413(a, scene);
    // Slowly: the gateway takes piece after piece and still does not reset.
    for (int i = 0; i < 1025; i += 41) {
      a.send(std::string(41, 'x'));
      a.flush();
    }
    if (!read_first) expect_413(a, scene);
    EXPECT_EQ(a.wait_end(), Answer::End::kFin);
  }
}

TEST(Faults, H20_AnOversizeChunkedBodyGets413AndASocketThatLingers) {
  Scene scene({{"limits.body_bytes", "1KiB"}});
  Caller a(scene.gate);
  a.send(
      "POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\n"
      "transfer-encoding: chunked\r\n\r\n");
  for (int i = 0; i < 12; ++i) {
    a.send("80\r\n" + std::string(128, 'x') + "\r\n");  // the ninth is over the limit
    a.flush();
  }
  a.send("0\r\n\r\n");
  a.flush();
  expect_413(a, scene);
  EXPECT_EQ(a.wait_end(), Answer::End::kFin);
}

TEST(Faults, H20_ABodyOfExactlyTheLimitPasses) {
  Scene scene({{"limits.body_bytes", "1KiB"}});
  std::string body = chat("", Stream::kNo);
  body = chat(std::string(1024 - body.size(), 'x'), Stream::kNo);
  ASSERT_EQ(body.size(), 1024U);
  Caller a = scene.ask(body);
  scene.upstream.wait_call().answer(200, whole_body("x"), kJson);
  expect_stream(a.finish(), whole_body("x"));
}

}  // namespace
}  // namespace slipstream::faults
