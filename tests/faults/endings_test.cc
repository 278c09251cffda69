// H01, H02, H03, H18: how a stream that broke is told, to whom, and what is not repeated.
#include "faults/scene.h"

namespace slipstream::faults {
namespace {

constexpr Transfer kTransfers[] = {Transfer::kChunked, Transfer::kUntilClose, Transfer::kLength};
const Gate::Options kQuickSilence = {{"upstream.between_events_timeout", "300ms"}};
// Every flight earns a whole retry: what is not repeated is not repeated on principle.
const Gate::Options kManyRetries = {{"retry.budget_ratio", "100"}};

TEST(Faults, H01_FollowerNeverSeesACleanEndWhenTheWriterVanished) {
  for (const Transfer transfer : kTransfers) {
    SCOPED_TRACE(static_cast<int>(transfer));
    Scene scene;
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    Caller b = scene.follow(chat());
    const std::string published = role_event() + token("one") + token("two");
    call.start_stream(transfer);
    call.stream(published);
    call.fin();
    expect_broken(a.finish(), published, "upstream_cut");
    expect_broken(b.finish(), published, "upstream_cut");
    EXPECT_EQ(scene.gate.flights_ended("cut"), 1U);
    scene.gate.expect_callers_ended("upstream_failed", 2);
    EXPECT_EQ(scene.gate.upstream_calls(), 1U);

    Caller c = scene.ask(chat());
    Call& second = scene.upstream.wait_call();
    second.start_stream();
    second.stream(whole_stream("again"));
    second.end_stream();
    const Answer answer = c.finish();
    expect_stream(answer, whole_stream("again"));
    EXPECT_EQ(answer.role(), "leader");
  }
}

TEST(Faults, H02_UpstreamDeathAfter200IsAnErrorEventAndAnIncompleteBody) {
  for (const Transfer transfer : kTransfers) {
    SCOPED_TRACE(static_cast<int>(transfer));
    Scene scene;
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    call.start_stream(transfer);
    call.stream(role_event() + token("one"));
    call.flush();
    call.reset();
    expect_broken(a.finish(), role_event() + token("one"), "upstream_cut");
    EXPECT_EQ(scene.gate.labelled("slipstream_upstream_failures_total", "cut"), 1U);
    scene.gate.expect_callers_ended("upstream_failed", 1);
    scene.gate.wait_logged({"flight", "ending=cut"});
  }
}

TEST(Faults, H02_UpstreamSilenceAfter200IsAnErrorEventAndAnIncompleteBody) {
  Scene scene(kQuickSilence);
  Caller a = scene.ask(chat());
  Call& call = scene.upstream.wait_call();
  call.start_stream();
  call.stream(role_event() + token("one"));
  expect_broken(a.finish(), role_event() + token("one"), "upstream_idle_timeout");
  EXPECT_TRUE(call.aborted(kSoon));
  EXPECT_EQ(scene.gate.labelled("slipstream_upstream_failures_total", "idle_timeout"), 1U);
  scene.gate.wait_logged({"flight", "ending=cut"});
}

// The last event of the stream, cut in the middle, is not delivered as if it were one.
TEST(Faults, H02_HalfAnEventIsNeverDelivered) {
  Scene scene;
  Caller a = scene.ask(chat());
  Call& call = scene.upstream.wait_call();
  call.start_stream();
  call.stream(role_event() + token("one") + R"(data: {"choices":[{"index":0,"del)");
  call.flush();
  call.reset();
  expect_broken(a.finish(), role_event() + token("one"), "upstream_cut");
}

TEST(Faults, H03_TheTerminalMarkerIsNeverMadeUp) {
  enum class Death { kFin, kReset, kSilence };
  for (const Death death : {Death::kFin, Death::kReset, Death::kSilence}) {
    SCOPED_TRACE(static_cast<int>(death));
    Scene scene(kQuickSilence);
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    call.start_stream();
    call.stream(role_event() + token("one"));
    call.flush();
    if (death == Death::kFin) call.fin();
    if (death == Death::kReset) call.reset();
    const Answer answer = a.finish();
    const std::string last = answer.wire.substr(answer.wire.size() - 20);
    EXPECT_EQ(last.find("[DONE]"), std::string::npos);
    EXPECT_EQ(last.find("\r\n0\r\n"), std::string::npos);
    EXPECT_FALSE(answer.complete);
  }
}

TEST(Faults, H03_TheTerminalMarkerIsForwardedOnceIfItCame) {
  Scene scene;
  const std::string finished = role_event() + token("x") + finish_event();
  struct Case {
    std::string stream;
    std::string_view ending;
  };
  const Case cases[] = {
      {finished + std::string(kDone), "whole"},
      {finished, "whole"},  // tolerated without the marker, which is not invented
      {role_event() + token("x") + std::string(kDone), "claimed"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.stream);
    const std::uint64_t before = scene.gate.flights_ended(one.ending);
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    call.start_stream();
    call.stream(one.stream);
    call.end_stream();
    expect_stream(a.finish(), one.stream);
    EXPECT_EQ(scene.gate.flights_ended(one.ending), before + 1);
  }
}

// A clean transport end with neither marker nor finish reason is a failure, whoever framed it.
TEST(Faults, H03_ACleanEndWithoutMarkerOrFinishReasonIsAFailure) {
  for (const Transfer transfer : {Transfer::kChunked, Transfer::kUntilClose}) {
    Scene scene;
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    call.start_stream(transfer);
    call.stream(role_event() + token("one"));
    call.end_stream();
    expect_broken(a.finish(), role_event() + token("one"), "upstream_cut");
  }
}

TEST(Faults, H18_NothingIsRetriedOnceATokenWasPublished) {
  Scene scene(kManyRetries);
  Caller a = scene.ask(chat());
  Call& call = scene.upstream.wait_call();
  Caller b = scene.follow(chat());
  const std::string published = role_event() + token("one ") + token("two ") + token("three ");
  call.start_stream();
  call.stream(published);
  call.flush();
  call.reset();
  expect_broken(a.finish(), published, "upstream_cut");
  expect_broken(b.finish(), published, "upstream_cut");
  scene.gate.wait_quiet();
  EXPECT_EQ(scene.gate.upstream_calls(), 1U);
  EXPECT_EQ(scene.upstream.try_call(Duration::zero()), nullptr);
}

}  // namespace
}  // namespace slipstream::faults
