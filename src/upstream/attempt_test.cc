// What the owner of a running attempt can do: pause, upload, set deadlines, destroy it.
#include "upstream/attempt.h"

#include <gtest/gtest.h>

#include "upstream/upstream_harness.h"

namespace slipstream::upstream {
namespace {

constexpr std::size_t kMany = 16 * 1024 * 1024;  // more than sockets take unread
constexpr std::string_view kPost = "POST /x HTTP/1.1\r\nhost: a\r\n\r\n";
constexpr std::string_view kChunkedHead =
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n";

Call streamed() {
  return {.head = kPost, .body_kind = Call::Body::kStreamed};
}

TEST(Attempt, PausedIsNotRead) {
  World world;
  Caller caller;
  world.start(caller);
  caller.then_on_head = [&] { caller.attempt->pause(); };
  net::Recorder& server = world.server_of(0);
  server.stream->write(kChunkedHead);
  ASSERT_TRUE(world.until([&] { return caller.heard('b'); })) << "what was read is delivered";
  server.stream->write("1\r\nb\r\n0\r\n\r\n");
  world.settle();
  EXPECT_EQ(caller.body, "a");
  caller.attempt->resume();
  ASSERT_TRUE(world.until([&] { return caller.over(); }));
  EXPECT_EQ(caller.body, "ab");
}

TEST(Attempt, PausedBeforeItIsConnected) {
  World world;
  Caller caller;
  world.start(caller);
  caller.attempt->pause();
  world.server_of(0).stream->write(kOk);
  world.settle();
  EXPECT_EQ(caller.events, "s");
  caller.attempt->resume();
  ASSERT_TRUE(world.until([&] { return caller.over(); }));
  EXPECT_EQ(caller.body, "ok");
  world.settle();
  EXPECT_EQ(world.client->idle_connections(), 1U);
}

// The answer may end in the turn in which reading was resumed: nothing of that is left behind.
TEST(Attempt, ResumedAndEndedInOneTurnStaysPooled) {
  World world;
  Caller caller;
  world.start(caller);
  net::Recorder& server = world.server_of(0);
  server.stream->write(kChunkedHead);
  ASSERT_TRUE(world.until([&] { return caller.heard('b'); }));
  server.stream->write("0\r\n\r\n");
  caller.attempt->pause();
  caller.attempt->resume();
  ASSERT_TRUE(world.until([&] { return caller.over(); }));
  world.settle();
  world.settle();
  EXPECT_EQ(world.client->idle_connections(), 1U);
}

TEST(Attempt, UploadStreamsWithBackPressure) {
  World world;
  world.servers_read = false;
  Caller caller;
  world.start(caller, streamed());
  ASSERT_TRUE(world.until([&] { return caller.heard('s') && !world.servers.empty(); }));
  const std::string part(1024 * 1024, 'u');
  std::size_t uploaded = 0;
  while (caller.attempt->upload_backlog() == 0 && uploaded < 64 * part.size()) {
    caller.attempt->upload(part);
    uploaded += part.size();
  }
  ASSERT_GT(caller.attempt->upload_backlog(), 0U);
  world.settle();
  EXPECT_FALSE(caller.heard('u'));
  net::Recorder& server = *world.servers[0];
  server.reading = true;
  server.read_all();
  ASSERT_TRUE(world.until([&] { return caller.heard('u'); }));
  EXPECT_EQ(caller.attempt->upload_backlog(), 0U);
  caller.attempt->finish_upload();
  ASSERT_TRUE(world.until([&] { return server.bytes.size() == kPost.size() + uploaded; }));
  server.stream->write(kOk);
  ASSERT_TRUE(world.until([&] { return caller.over(); }));
  EXPECT_EQ(world.client->idle_connections(), 1U) << "all was sent and all was read";
}

TEST(Attempt, UploadBeforeTheConnectionIsKeptAndThenHasRoom) {
  World world;
  Caller caller;
  world.start(caller, streamed());
  caller.attempt->upload("early ");
  EXPECT_EQ(caller.attempt->upload_backlog(), 6U);
  ASSERT_TRUE(world.until([&] { return caller.heard('u'); })) << "who waits for room must hear";
  EXPECT_EQ(caller.attempt->upload_backlog(), 0U);
  caller.attempt->upload("late");
  caller.attempt->finish_upload();
  EXPECT_TRUE(
      world.until([&] { return world.servers[0]->bytes == std::string(kPost) + "early late"; }));
}

TEST(Attempt, AnswerBeforeTheUploadEndedSpoilsTheConnection) {
  World world;
  Caller caller;
  world.start(caller, streamed());
  world.server_of(0).stream->write("HTTP/1.1 413 No\r\ncontent-length: 0\r\n\r\n");
  ASSERT_TRUE(world.until([&] { return caller.over(); }));
  EXPECT_EQ(caller.status, 413);
  EXPECT_EQ(world.client->idle_connections(), 0U);
}

TEST(Attempt, AnswerBeforeTheBodyWasSentSpoilsTheConnection) {
  World world;
  world.servers_read = false;
  Caller caller;
  const std::string body(kMany, 'x');
  world.start(caller, {.head = kPost, .body = body});
  ASSERT_TRUE(world.until([&] { return !world.servers.empty() && caller.heard('s'); }));
  world.servers[0]->stream->write("HTTP/1.1 413 No\r\ncontent-length: 0\r\n\r\n");
  ASSERT_TRUE(world.until([&] { return caller.over(); }));
  EXPECT_EQ(caller.status, 413);
  EXPECT_EQ(world.client->idle_connections(), 0U);
}

TEST(Attempt, WriteTimeoutCountsSilenceNotSlowness) {
  World world({.write_timeout_ms = 10'000});
  world.servers_read = false;
  Caller caller;
  const std::string body(kMany, 'x');
  world.start(caller, {.head = kPost, .body = body});
  ASSERT_TRUE(world.until([&] { return !world.servers.empty() && caller.heard('s'); }));
  world.jump(seconds(9));
  EXPECT_FALSE(caller.over());
  // It takes a few bytes: the limit begins anew.
  const std::uint64_t before = caller.attempt->upload_backlog();
  std::string scratch(8 * 1024 * 1024, ' ');
  ASSERT_TRUE(world.until([&] {
    world.servers[0]->stream->read(scratch);
    return caller.attempt->upload_backlog() < before;
  }));
  world.jump(seconds(9));
  EXPECT_FALSE(caller.over());
  // The window may open a little more; then there is silence.
  for (int i = 0; i < 5 && !caller.over(); ++i) world.jump(seconds(11));
  ASSERT_TRUE(caller.over());
  EXPECT_EQ(caller.failure, FailureClass::kWriteTimeout);
}

TEST(Attempt, CallerWhoUploadsSlowlyIsNoWriteTimeout) {
  World world({.write_timeout_ms = 10'000});
  Caller caller;
  world.start(caller, streamed());
  world.server_of(0);
  world.jump(seconds(60));
  EXPECT_EQ(caller.events, "s");
}

TEST(Attempt, DeadlineIsToldOnceAndEndsNothing) {
  World world;
  Caller caller;
  world.start(caller);
  world.server_of(0);
  caller.attempt->set_deadline(world.reactor.now() + seconds(5));
  caller.attempt->set_deadline(world.reactor.now() + seconds(10));
  world.jump(seconds(9));
  EXPECT_EQ(caller.events, "s");
  world.jump(seconds(2));
  EXPECT_EQ(caller.events, "sd");
  world.servers[0]->stream->write(kOk);
  ASSERT_TRUE(world.until([&] { return caller.over(); }));
  EXPECT_EQ(caller.events, "sdhbe");
}

TEST(Attempt, DestroyedInsideAnyCallbackIsSilent) {
  struct Row {
    Caller::At at;
    std::string events;
  };
  const Row rows[] = {{Caller::At::kSent, "s"},      {Caller::At::kHead, "sh"},
                      {Caller::At::kBody, "shb"},    {Caller::At::kBatch, "shb."},
                      {Caller::At::kDeadline, "sd"}, {Caller::At::kNowhere, "shb."}};
  for (const Row& row : rows) {
    World world;
    Caller caller;
    caller.destroy_at = row.at;
    world.start(caller);
    net::Recorder& server = world.server_of(0);
    if (row.at == Caller::At::kDeadline) {
      caller.attempt->set_deadline(world.reactor.now() + seconds(1));
      world.jump(seconds(2));
    }
    server.stream->write(kChunkedHead);
    if (row.at == Caller::At::kNowhere) {
      ASSERT_TRUE(world.until([&] { return caller.heard('.'); }));
      caller.attempt.reset();
    }
    EXPECT_TRUE(world.until([&] { return server.last != net::IoStatus::kWouldBlock; }))
        << "a cancelled call is closed upstream";
    world.settle();
    EXPECT_EQ(caller.events, row.events);
    EXPECT_EQ(world.client->busy_connections(), 0U);
    EXPECT_EQ(world.client->idle_connections(), 0U);
  }
}

TEST(Attempt, DestroyedInItsLastCallback) {
  World world;
  Caller ended, failed, space;
  ended.destroy_at = Caller::At::kEnd;
  world.exchange(ended, 0, kOk);
  EXPECT_EQ(world.client->idle_connections(), 1U);
  EXPECT_EQ(world.client->busy_connections(), 0U);
  failed.destroy_at = Caller::At::kFailure;
  world.exchange(failed, 0, "nonsense\r\n\r\n");
  EXPECT_EQ(failed.failure, FailureClass::kMalformed);
  space.destroy_at = Caller::At::kSpace;
  world.start(space, streamed());
  space.attempt->upload("x");
  ASSERT_TRUE(world.until([&] { return space.heard('u'); }));
  world.settle();
  EXPECT_EQ(world.client->busy_connections(), 0U);
}

TEST(Attempt, DestroyedWhileConnectingIsSilent) {
  World world;
  Caller caller;
  world.start(caller);
  caller.attempt.reset();
  world.settle();
  EXPECT_EQ(caller.events, "");
  EXPECT_EQ(world.client->busy_connections(), 0U);
}

}  // namespace
}  // namespace slipstream::upstream
