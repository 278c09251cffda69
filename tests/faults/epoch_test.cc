// Nothing joins across a change of the model: observed by probing, or made through the gateway.
#include <set>

#include "faults/scene.h"
#include "gateway/flights_page.h"

namespace slipstream::faults {
namespace {

// Probed as vLLM with two questions less; the interval is so long that only reasons make looks.
const Gate::Options kProbed = {{"upstream.profile", "tgi"}, {"upstream.probe_interval", "1h"}};

std::uint64_t changes(const Gate& gate, std::string_view cause) {
  return gate.labelled("slipstream_epoch_changes_total", cause);
}
std::string epoch_of(Scene& scene) {
  return scene.gate.server().shared().epoch.value().text;
}
void answer_probe(Scene& scene, std::string_view revision) {
  Call& probe = scene.upstream.wait_call();
  EXPECT_EQ(probe.head().path(), "/info");
  EXPECT_EQ(probe.head().method(), "GET");
  probe.answer(200, R"({"model_id":"m","model_sha":")" + std::string(revision) + "\"}", kJson);
}
void wait_change(Scene& scene, std::string_view cause, std::uint64_t count) {
  wait_until([&] { return changes(scene.gate, cause) >= count; }, "an epoch change");
  EXPECT_EQ(changes(scene.gate, cause), count) << cause;
}

TEST(Epoch, TheFirstLookEndsTheTimeWhenNobodyKnew) {
  Scene scene(kProbed);
  EXPECT_TRUE(epoch_of(scene).starts_with("unprobed-"));
  // Its answer is not waited for: requests go on meanwhile, and share.
  Call& probe = scene.upstream.wait_call();
  Caller before = scene.ask(chat());
  Call& old_model = scene.upstream.wait_call();
  Caller with_it = scene.follow(chat());
  probe.answer(200, R"({"model_id":"m","model_sha":"1"})", kJson);
  wait_change(scene, "first_probe", 1);
  EXPECT_FALSE(epoch_of(scene).starts_with("unprobed-"));

  Caller after = scene.ask(chat());
  Call& own = scene.upstream.wait_call();
  for (Call* call : {&old_model, &own}) {
    call->start_stream();
    call->stream(whole_stream(call == &own ? "new" : "old"));
    call->end_stream();
  }
  expect_stream(before.finish(), whole_stream("old"));
  expect_stream(with_it.finish(), whole_stream("old"));
  expect_stream(after.finish(), whole_stream("new"));
}

TEST(Epoch, AfterALostConnectionTheServerIsAskedAgain) {
  Scene scene(kProbed);
  answer_probe(scene, "1");
  wait_change(scene, "first_probe", 1);
  const std::string first = epoch_of(scene);

  Caller old_caller = scene.ask(chat("old"));
  Call& old_model = scene.upstream.wait_call();
  Caller cut = scene.ask(chat("cut"));
  Call& lost = scene.upstream.wait_call();
  lost.start_stream();
  lost.stream(token("a"));
  cut.wait_body("a");
  lost.reset();
  expect_broken(cut.finish(), token("a"), "upstream_cut");

  answer_probe(scene, "2");
  wait_change(scene, "observed", 1);
  EXPECT_NE(epoch_of(scene), first);
  Caller new_caller = scene.ask(chat("old"));
  Call& new_model = scene.upstream.wait_call();
  EXPECT_EQ(scene.gate.followers(), 0U);
  old_model.answer(503, "{}", kJson);
  new_model.answer(503, "{}", kJson);
}

TEST(Epoch, AFailedLookKeepsWhatWasKnownAndIsRepeated) {
  Scene scene(kProbed);
  answer_probe(scene, "1");
  wait_change(scene, "first_probe", 1);
  const std::string known = epoch_of(scene);
  Caller cut = scene.ask(chat("cut"));
  Call& lost = scene.upstream.wait_call();
  lost.start_stream();
  lost.stream(token("a"));
  cut.wait_body("a");
  lost.reset();

  scene.upstream.wait_call().answer(503, "loading", kJson);
  scene.gate.wait_logged({"probe_failed", "/info", "503"});
  EXPECT_EQ(epoch_of(scene), known);
  answer_probe(scene, "2");
  wait_change(scene, "observed", 1);
}

TEST(Epoch, ARequestThatChangesTheModelIsABoundaryAtBothEnds) {
  Scene scene({{"upstream.profile", "ollama"}});
  const auto ask_new = [&](Call*& call) {
    Caller caller = scene.ask(chat());
    call = &scene.upstream.wait_call();
    return caller;
  };
  Call* calls[3];
  Caller before = ask_new(calls[0]);
  Caller admin(scene.gate);
  admin.send(
      "POST /api/pull HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
      "content-length: 13\r\n\r\n{\"model\":\"m\"}");
  Call& pull = scene.upstream.wait_call();
  EXPECT_EQ(pull.head().path(), "/api/pull");
  Caller during = ask_new(calls[1]);
  Caller beside = scene.follow(chat());
  pull.answer(200, R"({"status":"success"})", kJson);
  EXPECT_EQ(admin.finish().status(), 200);
  // Whoever was told sees the new epoch, whichever worker serves it.
  Caller after = ask_new(calls[2]);
  EXPECT_EQ(changes(scene.gate, "admin"), 2U);
  EXPECT_TRUE(epoch_of(scene).ends_with("+2"));

  for (int i = 0; i < 3; ++i) {
    calls[i]->start_stream();
    calls[i]->stream(whole_stream(std::to_string(i)));
    calls[i]->end_stream();
  }
  expect_stream(before.finish(), whole_stream("0"));
  expect_stream(during.finish(), whole_stream("1"));
  expect_stream(beside.finish(), whole_stream("1"));
  expect_stream(after.finish(), whole_stream("2"));
}

TEST(Epoch, OtherRequestsAreNone) {
  Scene scene({{"upstream.profile", "ollama"}});
  Caller caller(scene.gate);
  caller.send("GET /api/tags HTTP/1.1\r\nhost: a\r\n\r\n");
  scene.upstream.wait_call().answer(200, "{}", kJson);
  EXPECT_EQ(caller.finish().status(), 200);
  EXPECT_EQ(changes(scene.gate, "admin"), 0U);
}

TEST(Epoch, StandsOnTheFlightsPageAndFollowsWhatIsDeclared) {
  std::set<std::string> epochs;
  for (const char* digest : {"", "sha256:1", "sha256:2"}) {
    Scene scene({{"upstream.declared.artifact_digest", digest}});
    const std::string epoch = epoch_of(scene);
    epochs.insert(epoch);
    const std::string page = gateway::flights_page(scene.gate.server().shared(), 0);
    EXPECT_NE(page.find(R"("epoch":")" + epoch + "\""), std::string::npos) << page;
  }
  EXPECT_EQ(epochs.size(), 3U);
}

}  // namespace
}  // namespace slipstream::faults
