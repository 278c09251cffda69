// H04 to H07: bytes arrive cut at every place and leave as they were.
#include "faults/scene.h"
#include "http/write.h"

namespace slipstream::faults {
namespace {

const std::string kHead = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";

std::string chunked(const std::vector<std::string>& pieces) {
  std::string out = kHead + "transfer-encoding: chunked\r\n\r\n";
  for (const std::string& piece : pieces) {
    http::append_chunk_head(out, piece.size());
    out += piece;
    out += http::kChunkTail;
  }
  return out += http::kLastChunk;
}

std::string joined(const std::vector<std::string>& pieces) {
  std::string out;
  for (const std::string& piece : pieces) out += piece;
  return out;
}

// One answer of the upstream, cut at `cut`: the gateway reads the two parts one after the other.
void answer_in_two(Call& call, const std::string& wire, std::size_t cut) {
  call.send(wire.substr(0, cut));
  call.flush();
  call.send(wire.substr(cut));
}

TEST(Faults, H04_EveryCutOfAChunkedStreamIsTheSameToEveryCaller) {
  Scene scene;
  const std::vector<std::string> events = {role_event(), token("one"), finish_event(),
                                           usage_event(7), std::string(kDone)};
  const std::string wire = chunked(events);
  Caller a(scene.gate);
  Caller b(scene.gate);
  for (std::size_t cut = 1; cut < wire.size(); ++cut) {
    SCOPED_TRACE(cut);
    a.post(chat());
    Call& call = scene.upstream.wait_call();
    b.post(chat());
    scene.gate.wait_followers(cut);
    answer_in_two(call, wire, cut);
    call.done();
    expect_stream(a.finish(), joined(events));
    expect_stream(b.finish(), joined(events));
    if (HasFailure()) return;
  }
  const std::uint64_t runs = wire.size() - 1;
  scene.gate.wait_quiet();
  EXPECT_EQ(scene.gate.flights_ended("whole"), runs);
  scene.gate.expect_callers_ended("delivered", 2 * runs);
  EXPECT_EQ(scene.gate.total(telemetry::Counter::kTokensAvoided), 7 * runs);
  EXPECT_EQ(scene.upstream.calls(), runs);
}

TEST(Faults, H04_EveryCutOfAStreamThatEndsByCloseIsTheSame) {
  Scene scene;
  const std::string body =
      role_event() + token("one") + finish_event() + usage_event(7) + std::string(kDone);
  const std::string wire = kHead + "connection: close\r\n\r\n" + body;
  Caller a(scene.gate);
  for (std::size_t cut = 1; cut < wire.size(); ++cut) {
    SCOPED_TRACE(cut);
    a.post(chat());
    Call& call = scene.upstream.wait_call();
    answer_in_two(call, wire, cut);
    call.fin();
    expect_stream(a.finish(), body);
    ASSERT_TRUE(call.aborted(kSoon)) << "a connection that ends by close is not kept";
    call.reset();
    if (HasFailure()) return;
  }
  EXPECT_EQ(scene.gate.flights_ended("whole"), wire.size() - 1);
}

TEST(Faults, H05_ACharacterCutBetweenItsBytesArrivesWhole) {
  for (const Transfer transfer : {Transfer::kChunked, Transfer::kUntilClose}) {
    Scene scene;
    const std::string text = "\xe4\xbd\xa0\xe5\xa5\xbd\xf0\x9f\x8c\x8d";
    const std::string body =
        role_event() + token("a") + token(text) + finish_event() + std::string(kDone);
    const std::size_t text_at = body.find(text);
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    call.start_stream(transfer);
    std::vector<Caller> followers;
    for (std::size_t i = 0; i < body.size(); ++i) {
      call.stream(body.substr(i, 1));
      call.flush();
      if (i >= text_at && i < text_at + text.size()) followers.push_back(scene.follow(chat()));
    }
    call.end_stream();
    expect_stream(a.finish(), body);
    ASSERT_EQ(followers.size(), text.size());
    for (Caller& follower : followers) expect_stream(follower.finish(), body);
    EXPECT_EQ(scene.gate.upstream_calls(), 1U);
  }
}

TEST(Faults, H06_ACarriageReturnAtTheEndOfAReadEndsNoEvent) {
  for (const Transfer transfer : {Transfer::kChunked, Transfer::kUntilClose}) {
    Scene scene;
    const std::string odd = "data: {\"a\":\r\ndata: 1}\r\n\r\n";
    const std::string before = role_event() + token("a");
    const std::string after = finish_event() + std::string(kDone);
    Caller a = scene.ask(chat());
    Call& call = scene.upstream.wait_call();
    call.start_stream(transfer);
    call.stream(before);
    a.wait_body(before);
    for (std::size_t at = 0; at < odd.size();) {
      const std::size_t end = std::min(odd.find('\r', at), odd.size() - 1) + 1;
      call.stream(odd.substr(at, end - at));
      call.flush();
      at = end;
    }
    call.stream(after);
    call.end_stream();
    const Answer answer = a.finish();
    expect_stream(answer, before + odd + after);
    // What the gateway wrote as one piece holds whole events only.
    std::size_t sent = 0;
    for (const std::string& chunk : answer.chunks()) {
      sent += chunk.size();
      EXPECT_TRUE(sent <= before.size() || sent >= before.size() + odd.size())
          << "half the event was dispatched: " << chunk;
    }
  }
}

TEST(Faults, H07_CommentsPassAsCommentsAndCountAsActivity) {
  const Duration silence = milliseconds(600);
  Scene scene({{"upstream.between_events_timeout", "600ms"}});
  const std::string comment = ": PROCESSING\n\n";
  Caller a = scene.ask(chat());
  Call& call = scene.upstream.wait_call();
  call.start_stream();
  call.stream(comment);
  std::string sent = comment + role_event() + token("a");
  call.stream(role_event() + token("a"));
  // Comments only, without a pause, for twice as long as silence may last.
  for (const Time until = now() + 2 * silence; now() < until;) {
    call.stream(comment);
    call.flush();
    sent += comment;
  }
  sent += finish_event() + std::string(kDone);
  call.stream(finish_event() + std::string(kDone));
  call.end_stream();
  expect_stream(a.finish(), sent);
  EXPECT_EQ(scene.gate.flights_ended("whole"), 1U);
}

TEST(Faults, H07_CommentsAreNoFirstToken) {
  Scene scene({{"upstream.first_event_timeout", "200ms"}, {"retry.enabled", "false"}});
  Caller a = scene.ask(chat());
  Call& call = scene.upstream.wait_call();
  call.start_stream();
  while (!call.aborted()) call.stream(": PROCESSING\n\n");
  const Answer answer = a.finish();
  expect_error(answer, 504, "upstream_first_event_timeout");
  EXPECT_FALSE(answer.has("PROCESSING"));
}

// Activity, but no answer: a server that only pings does not hold its callers for ever.
TEST(Faults, H07_CommentsAloneStretchTheSilenceToThatBeforeAFirstEvent) {
  Scene scene(
      {{"upstream.between_events_timeout", "150ms"}, {"upstream.first_event_timeout", "300ms"}});
  Caller a = scene.ask(chat());
  Call& call = scene.upstream.wait_call();
  call.start_stream();
  call.stream(role_event() + token("a"));
  while (!call.aborted()) call.stream(": PROCESSING\n\n");
  const Answer answer = a.finish();
  EXPECT_TRUE(answer.has("upstream_idle_timeout"));
  EXPECT_FALSE(answer.complete);
}

}  // namespace
}  // namespace slipstream::faults
