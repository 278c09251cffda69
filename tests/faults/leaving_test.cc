// H08, H09, H10, H16: callers who leave, and what it means for the upstream and for those who stay.
#include "faults/scene.h"

namespace slipstream::faults {
namespace {

enum class Leave { kClose, kReset, kHalfClose };
constexpr Leave kWays[] = {Leave::kClose, Leave::kReset, Leave::kHalfClose};

void leave(Caller& caller, Leave way) {
  if (way == Leave::kClose) caller.close();
  if (way == Leave::kReset) caller.reset();
  if (way == Leave::kHalfClose) caller.half_close();
}

void finish(Call& call, std::string_view rest) {
  call.stream(rest);
  call.end_stream();
}

TEST(Faults, H08_TheGenerationStopsWhenItsOnlyCallerLeavesMidStream) {
  for (const Leave way : kWays) {
    Scene scene;
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    call.start_stream();
    call.stream(role_event());
    for (const char* word : {"1", "2", "3"}) {
      call.stream(token(word));
      a.wait_body(token(word));
    }
    EXPECT_FALSE(call.aborted());
    leave(a, way);
    EXPECT_TRUE(call.aborted(kSoon));
    scene.gate.wait_quiet();
    EXPECT_EQ(scene.gate.flights_ended("abandoned"), 1U);
    scene.gate.expect_callers_ended("client_gone", 1);
  }
}

TEST(Faults, H08_TheGenerationGoesOnForAFollowerWhoStays) {
  for (const Leave way : kWays) {
    Scene scene;
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    Caller b = scene.follow(chat());
    call.start_stream();
    call.stream(role_event() + token("1"));
    a.wait_body(token("1"));
    scene.gate.wait_subscribers(2);
    leave(a, way);
    scene.gate.wait_subscribers(1);
    EXPECT_FALSE(call.aborted());
    finish(call, token("2") + finish_event() + std::string(kDone));
    expect_stream(b.finish(),
                  role_event() + token("1") + token("2") + finish_event() + std::string(kDone));
    EXPECT_EQ(scene.gate.flights_ended("whole"), 1U);
  }
}

TEST(Faults, H09_ACallerWhoLeavesBeforeTheFirstTokenIsNoticed) {
  enum class Upstream { kSilent, kHeadOnly };
  for (const auto upstream : {Upstream::kSilent, Upstream::kHeadOnly}) {
    for (const Leave way : kWays) {
      Scene scene;
      Caller a = scene.ask(chat());
      Call& call = scene.upstream.wait_call();
      if (upstream == Upstream::kHeadOnly) {
        call.start_stream();
        call.flush();
      }
      leave(a, way);
      EXPECT_TRUE(call.aborted(kSoon));
      scene.gate.wait_quiet();
      EXPECT_EQ(scene.gate.flights_ended("abandoned"), 1U);
    }
  }
}

TEST(Faults, H09_BeforeTheFirstTokenAFollowerKeepsTheCallAlive) {
  for (const bool head_first : {false, true}) {
    Scene scene;
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    Caller b = scene.follow(chat());
    if (head_first) {
      call.start_stream();
      call.flush();
    }
    scene.gate.wait_subscribers(2);
    a.close();
    scene.gate.wait_subscribers(1);
    EXPECT_FALSE(call.aborted());
    if (!head_first) call.start_stream();
    finish(call, whole_stream("late"));
    expect_stream(b.finish(), whole_stream("late"));
  }
}

TEST(Faults, H10_OneCallersLeavingIsNothingToTheOthers) {
  for (const Stream stream : {Stream::kYes, Stream::kNo}) {
    for (const bool leader_leaves : {true, false}) {
      Scene scene;
      Caller a = scene.ask(chat("hi", stream));
      Call& call = scene.upstream.wait_call();
      Caller b = scene.follow(chat("hi", stream));
      Caller c = scene.follow(chat("hi", stream));
      scene.gate.wait_subscribers(3);
      (leader_leaves ? a : b).close();
      scene.gate.wait_subscribers(2);
      EXPECT_FALSE(call.aborted());
      const std::string text = stream == Stream::kYes ? whole_stream("x") : whole_body("x");
      if (stream == Stream::kYes) {
        call.start_stream();
        finish(call, text);
      } else {
        call.answer(200, text, kJson);
      }
      expect_stream((leader_leaves ? b : a).finish(), text);
      expect_stream(c.finish(), text);
      scene.gate.wait_quiet();
      EXPECT_EQ(scene.gate.upstream_calls(), 1U);
      EXPECT_EQ(scene.gate.flights_ended("whole"), 1U);
      scene.gate.expect_callers_ended("delivered", 2);
      scene.gate.expect_callers_ended("client_gone", 1);
    }
  }
}

// Enough was published that the upstream is paced by its fastest reader; that one leaves, the other
// has read everything, and nothing is on its way: the pace must not wait for the one who left.
TEST(Faults, H10_TheUpstreamIsStillReadAfterOneOfTwoReadersLeft) {
  const std::string piece = token(std::string(16 * 1024, 'x'));
  for (const bool leader_leaves : {true, false}) {
    Scene scene({{"replay.lag_bytes_max", "64KiB"}});
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    Caller b = scene.follow(chat());
    call.start_stream();
    for (int i = 0; i < 4; ++i) {
      call.stream(piece);
      a.take_body(piece);
      b.take_body(piece);
    }
    (leader_leaves ? a : b).close();
    scene.gate.wait_subscribers(1);
    finish(call, piece + finish_event() + std::string(kDone));
    const Answer rest = (leader_leaves ? b : a).finish();
    EXPECT_EQ(rest.body, piece + finish_event() + std::string(kDone));
    EXPECT_TRUE(rest.complete);
  }
}

// Eight rounds, so that D lands on A's worker in some and on the other in some.
TEST(Faults, H16_TheUnreadAnswerOfACancelledCallReachesNobodyElse) {
  Scene scene;
  for (int round = 0; round < 8; ++round) {
    Caller a = scene.ask(chat("secret of A"), "authorization: Bearer t1\r\n");
    Call& first = scene.upstream.wait_call();
    const int connection = first.connection();
    a.close();
    ASSERT_TRUE(first.aborted(kSoon));
    first.answer(200, whole_body("for A only"), kJson);

    Caller d = scene.ask(chat("other", Stream::kNo), "authorization: Bearer t2\r\n");
    Call& second = scene.upstream.wait_call();
    EXPECT_NE(second.connection(), connection);
    EXPECT_EQ(second.field("authorization"), "Bearer t2");
    second.answer(200, whole_body("for D"), kJson);
    const Answer answer = d.finish();
    expect_stream(answer, whole_body("for D"));
    EXPECT_FALSE(answer.has("A only"));
  }
}

// Cancelled in the middle of the answer's body: the rest of it is on its way.
TEST(Faults, H16_AHalfReadAnswerIsNeverPooled) {
  Scene scene;
  for (int round = 0; round < 8; ++round) {
    Caller a = scene.ask(chat("secret of A"), "authorization: Bearer t1\r\n");
    Call& first = scene.upstream.wait_call();
    const int connection = first.connection();
    first.start_stream();
    first.stream(role_event() + token("for"));
    a.wait_body(token("for"));
    a.reset();
    first.stream(token("A only") + finish_event() + std::string(kDone));

    Caller d = scene.ask(chat("other"), "authorization: Bearer t2\r\n");
    Call& second = scene.upstream.wait_call();
    EXPECT_NE(second.connection(), connection);
    second.start_stream();
    finish(second, whole_stream("for D"));
    expect_stream(d.finish(), whole_stream("for D"));
    EXPECT_TRUE(first.aborted(kSoon));
    first.reset();
  }
}

}  // namespace
}  // namespace slipstream::faults
