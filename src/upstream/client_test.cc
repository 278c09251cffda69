// What comes back, and when a connection is fit to be used again.
#include "upstream/client.h"

#include <gtest/gtest.h>

#include "upstream/upstream_harness.h"

namespace slipstream::upstream {
namespace {

TEST(Client, WarmConnectionServesTheNextCall) {
  World world;
  Caller first, second;
  world.exchange(first, 0, kOk);
  EXPECT_EQ(first.events, "shbe") << "an end is its own batch";
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.body, "ok");
  EXPECT_FALSE(first.reused);
  EXPECT_EQ(world.client->idle_connections(), 1U);
  first.attempt.reset();
  EXPECT_EQ(world.client->busy_connections(), 0U);
  world.exchange(second, 0, kOk);
  EXPECT_EQ(second.body, "ok");
  EXPECT_TRUE(second.attempt != nullptr);
  EXPECT_EQ(world.servers.size(), 1U);
}

TEST(Client, NewConnectionOnDemand) {
  World world;
  Caller first, second;
  world.exchange(first, 0, kOk);
  world.start(second, {.head = kGet, .connection = Call::Connection::kNew});
  world.server_of(1).stream->write(kOk);
  ASSERT_TRUE(world.until([&] { return second.over(); }));
  EXPECT_EQ(world.client->idle_connections(), 2U);
}

TEST(Client, IdleConnectionsAreBounded) {
  World world({.idle_max = 1});
  Caller first, second;
  world.start(first);
  world.start(second);
  world.server_of(0).stream->write(kOk);
  world.server_of(1).stream->write(kOk);
  ASSERT_TRUE(world.until([&] { return first.over() && second.over(); }));
  EXPECT_EQ(world.client->idle_connections(), 1U);
}

struct Answer {
  const char* name;
  std::string bytes;
  bool fin = false;  // the server ends its side after them
};
void PrintTo(const Answer& answer, std::ostream* out) {
  *out << answer.name;
}

class CleanAnswers : public testing::TestWithParam<Answer> {};
TEST_P(CleanAnswers, KeepTheConnection) {
  World world;
  Caller first, second;
  world.exchange(first, 0, GetParam().bytes);
  EXPECT_TRUE(first.heard('e')) << first.events;
  EXPECT_EQ(world.client->idle_connections(), 1U);
  world.exchange(second, 0, kOk);
  EXPECT_EQ(second.body, "ok");
  EXPECT_EQ(world.servers.size(), 1U);
}
INSTANTIATE_TEST_SUITE_P(
    Client, CleanAnswers,
    testing::Values(
        Answer{"length", std::string(kOk)},
        Answer{"chunked",
               "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"},
        Answer{"trailer",
               "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx-a: b\r\n\r\n"},
        Answer{"error_status", "HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n"},
        Answer{"no_content", "HTTP/1.1 204 No Content\r\n\r\n"},
        Answer{"not_modified", "HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n"},
        Answer{"interim",
               "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: "
               "x\r\n\r\n" +
                   std::string(kOk)}),
    [](const auto& row) { return row.param.name; });

class DirtyAnswers : public testing::TestWithParam<Answer> {};
TEST_P(DirtyAnswers, NeverKeepTheConnection) {
  World world;
  Caller first, second;
  world.start(first);
  net::Recorder& server = world.server_of(0);
  server.stream->write(GetParam().bytes);
  if (GetParam().fin) server.stream->shutdown_write();
  ASSERT_TRUE(world.until([&] { return first.over(); }));
  EXPECT_EQ(world.client->idle_connections(), 0U) << first.events;
  EXPECT_TRUE(world.until([&] { return server.last != net::IoStatus::kWouldBlock; }))
      << "it is closed at once, though the attempt still lives";
  world.exchange(second, 1, kOk);
  EXPECT_EQ(second.body, "ok");
}
INSTANTIATE_TEST_SUITE_P(
    Client, DirtyAnswers,
    testing::Values(
        Answer{"surplus", std::string(kOk) + "HTTP/1.1 200 OK\r\n"},
        Answer{"close", "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok"},
        Answer{"http10", "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok"},
        Answer{"fin_behind", std::string(kOk), true},
        Answer{"until_close", "HTTP/1.1 200 OK\r\n\r\nok", true},
        Answer{"cut_length", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok", true},
        Answer{"cut_chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n",
               true},
        Answer{"cut_head", "HTTP/1.1 200 O", true}, Answer{"nothing", "", true},
        Answer{"garbage", "I am no HTTP server\r\n\r\n"}),
    [](const auto& row) { return row.param.name; });

class MalformedAnswers : public testing::TestWithParam<Answer> {};
TEST_P(MalformedAnswers, AreAFailure) {
  World world;
  Caller caller;
  world.exchange(caller, 0, GetParam().bytes);
  EXPECT_EQ(caller.failure, FailureClass::kMalformed) << caller.events;
}
INSTANTIATE_TEST_SUITE_P(
    Client, MalformedAnswers,
    testing::Values(
        Answer{"text", "I am no HTTP server\r\n\r\n"}, Answer{"version", "HTTP/2.0 200 OK\r\n\r\n"},
        Answer{"two_framings",
               "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n"},
        Answer{"two_lengths",
               "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok"},
        Answer{"chunk_size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"},
        Answer{"huge_head", "HTTP/1.1 200 OK\r\nx: " + std::string(70'000, 'a') + "\r\n\r\n"}),
    [](const auto& row) { return row.param.name; });

TEST(Client, BodyUntilCloseEndsWithFinAndIsCutByReset) {
  World world;
  Caller whole, cut;
  world.start(whole);
  net::Recorder& first = world.server_of(0);
  first.stream->write("HTTP/1.1 200 OK\r\n\r\nall of it");
  ASSERT_TRUE(world.until([&] { return whole.heard('b'); }));
  first.stream->shutdown_write();
  ASSERT_TRUE(world.until([&] { return whole.over(); }));
  EXPECT_EQ(whole.body, "all of it");
  EXPECT_FALSE(whole.failure);
  world.start(cut);
  net::Recorder& second = world.server_of(1);
  second.stream->write("HTTP/1.1 200 OK\r\n\r\nsome");
  ASSERT_TRUE(world.until([&] { return cut.heard('b'); }));
  second.stream->reset();
  ASSERT_TRUE(world.until([&] { return cut.over(); }));
  EXPECT_EQ(cut.failure, FailureClass::kCut);
}

TEST(Client, AnswerToHeadHasNoBody) {
  World world;
  Caller head, next;
  world.start(head, {.head = "HEAD /x HTTP/1.1\r\nhost: a\r\n\r\n", .head_method = true});
  world.server_of(0).stream->write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n");
  ASSERT_TRUE(world.until([&] { return head.over(); }));
  EXPECT_TRUE(head.heard('e'));
  world.exchange(next, 0, kOk);
  EXPECT_EQ(next.body, "ok") << "the next answer has one again";
}

TEST(Client, SplitsDoNotMatter) {
  World world;
  Caller caller;
  world.start(caller);
  net::Recorder& server = world.server_of(0);
  for (const char byte :
       std::string("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")) {
    server.stream->write(std::string_view(&byte, 1));
    world.settle();
  }
  ASSERT_TRUE(world.until([&] { return caller.over(); }));
  EXPECT_EQ(caller.body, "ok");
  EXPECT_EQ(world.client->idle_connections(), 1U);
}

TEST(Client, LargeAnswersArriveWhole) {
  World world;
  Caller caller;
  std::string body;
  for (int i = 0; body.size() < 4'000'000; ++i) body += std::to_string(i) + ",";
  std::string answer =
      "HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  world.start(caller);
  net::Recorder& server = world.server_of(0);
  server.then_write = [&] { answer.erase(0, server.stream->write(answer).bytes); };
  server.then_write();
  ASSERT_TRUE(world.until([&] { return caller.over(); }));
  EXPECT_TRUE(caller.body == body);
  EXPECT_EQ(world.client->idle_connections(), 1U);
}

// --- a kept connection and the server's right to close it ---

TEST(Client, ConnectionClosedUnderTheRequestIsStale) {
  for (const bool reset : {false, true}) {
    World world;
    Caller first, second;
    world.exchange(first, 0, kOk);
    reset ? world.servers[0]->stream->reset() : world.servers[0]->stream->close();
    // No turn in between: the client cannot know yet.
    world.start(second);
    EXPECT_EQ(second.events, "s");
    ASSERT_TRUE(world.until([&] { return second.over(); }));
    EXPECT_EQ(second.failure, FailureClass::kStale);
    EXPECT_TRUE(second.attempt);
  }
}

TEST(Client, FreshConnectionIsNeverStale) {
  World world;
  Caller caller;
  world.start(caller);
  world.server_of(0).stream->close();
  ASSERT_TRUE(world.until([&] { return caller.over(); }));
  EXPECT_EQ(caller.failure, FailureClass::kCut);
}

TEST(Client, KeptConnectionThatBeganToAnswerIsNotStale) {
  World world;
  Caller first, second;
  world.exchange(first, 0, kOk);
  world.servers[0]->bytes.clear();
  world.start(second);
  world.server_of(0).stream->write("HTTP/1.1 2");
  world.servers[0]->stream->close();
  ASSERT_TRUE(world.until([&] { return second.over(); }));
  EXPECT_EQ(second.failure, FailureClass::kCut);
}

TEST(Client, IdleConnectionThatTheServerTouchesIsDropped) {
  for (const bool writes : {false, true}) {
    World world;
    Caller first, second;
    world.exchange(first, 0, kOk);
    if (writes) {
      world.servers[0]->stream->write("HTTP/1.1 408 Request Timeout\r\n\r\n");
    } else {
      world.servers[0]->stream->close();
    }
    ASSERT_TRUE(world.until([&] { return world.client->idle_connections() == 0; }));
    world.exchange(second, 1, kOk);
    EXPECT_EQ(second.body, "ok");
  }
}

TEST(Client, IdleConnectionsExpire) {
  World world({.idle_ms = 4000});
  Caller caller;
  world.exchange(caller, 0, kOk);
  world.jump(seconds(3));
  EXPECT_EQ(world.client->idle_connections(), 1U);
  world.jump(seconds(2));
  EXPECT_EQ(world.client->idle_connections(), 0U);
  EXPECT_TRUE(world.until([&] { return world.servers[0]->last == net::IoStatus::kEof; }));
}

// --- bounds and failures on the way out ---

TEST(Client, RefusedConnectionIsReported) {
  World world;
  Caller caller;
  world.listener->close();
  world.start(caller);
  EXPECT_EQ(caller.events, "") << "never from inside start()";
  ASSERT_TRUE(world.until([&] { return caller.over(); }));
  EXPECT_EQ(caller.failure, FailureClass::kConnect);
}

TEST(Client, NoMoreConnectionsThanAllowed) {
  World world({.connections_max = 1});
  Caller first, second, third;
  world.start(first);
  world.start(second);
  EXPECT_EQ(second.events, "") << "never from inside start()";
  ASSERT_TRUE(world.until([&] { return second.over(); }));
  EXPECT_EQ(second.failure, FailureClass::kOverload);
  EXPECT_EQ(world.client->busy_connections(), 2U);
  second.attempt.reset();
  world.server_of(0).stream->write(kOk);
  ASSERT_TRUE(world.until([&] { return first.over(); }));
  first.attempt.reset();
  world.exchange(third, 0, kOk);
  EXPECT_FALSE(third.failure);
}

TEST(Client, OverloadedAttemptMayBeDestroyedUnheard) {
  World world({.connections_max = 0});
  Caller caller;
  world.start(caller);
  caller.attempt.reset();
  world.settle();
  EXPECT_EQ(caller.events, "");
  EXPECT_EQ(world.client->busy_connections(), 0U);
}

}  // namespace
}  // namespace slipstream::upstream
