#include "net/socket.h"

#include "net/loop_harness.h"

namespace slipstream::net {
namespace {

std::string letters(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 999) % 26);
  return text;
}

class SocketTest : public testing::Test {
 protected:
  SocketTest() {
    auto listening = Listener::open(loop_.reactor, {"127.0.0.1:0", 16 * 1024}, &acceptor_);
    EXPECT_TRUE(listening.ok());
    listener_ = std::move(*listening);
  }

  // A client and the accepted stream, which `server_` handles.
  void connect() {
    client_ = std::make_unique<RawClient>(listener_->bound_address());
    ASSERT_TRUE(client_->connected);
    ASSERT_TRUE(loop_.run_until([&] { return !acceptor_.streams.empty(); }));
    server_.attach(std::move(acceptor_.streams.back()));
    acceptor_.streams.pop_back();
  }

  LoopHarness loop_;
  Acceptor acceptor_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<RawClient> client_;
  Recorder server_;
};

TEST_F(SocketTest, EchoesBothWays) {
  connect();
  EXPECT_EQ(server_.stream->peer_address(), "127.0.0.1");
  client_->send("ping");
  ASSERT_TRUE(loop_.run_until([&] { return server_.bytes == "ping"; }));
  EXPECT_EQ(server_.stream->write("pong").bytes, 4U);
  std::string got;
  EXPECT_TRUE(loop_.run_until([&] { return (got += client_->receive()) == "pong"; }));
}

TEST_F(SocketTest, ShortReadMeansDrainedUntilTheNextEdge) {
  connect();
  server_.reading = false;
  client_->send("abc");
  ASSERT_TRUE(loop_.run_until([&] { return server_.readable_calls > 0; }));
  char buffer[16];
  EXPECT_EQ(server_.stream->read(buffer).bytes, 3U);
  // Bytes that arrive now are not looked for before the loop saw their edge: no system call.
  client_->send("def");
  EXPECT_EQ(server_.stream->read(buffer).status, IoStatus::kWouldBlock);
  const int before = server_.readable_calls;
  ASSERT_TRUE(loop_.run_until([&] { return server_.readable_calls > before; }));
  EXPECT_EQ(server_.stream->read(buffer).bytes, 3U);
}

TEST_F(SocketTest, StoppedReaderGoesOnWithoutANewEdge) {
  connect();
  server_.reading = false;
  client_->send("abcdef");
  ASSERT_TRUE(loop_.run_until([&] { return server_.readable_calls > 0; }));
  char three[3];
  EXPECT_EQ(server_.stream->read(three).bytes, 3U);
  loop_.drain();
  EXPECT_EQ(server_.stream->read(three).bytes, 3U);
  EXPECT_EQ(server_.stream->read(three).status, IoStatus::kWouldBlock);
}

TEST_F(SocketTest, EndBehindUnreadBytesIsFoundByReadingOn) {
  connect();
  server_.reading = false;
  client_->send("last words");
  client_->close();
  ASSERT_TRUE(loop_.run_until([&] { return server_.readable_calls > 0; }));
  loop_.drain();
  server_.read_all();
  EXPECT_EQ(server_.bytes, "last words");
  EXPECT_EQ(server_.last, IoStatus::kEof);
  EXPECT_EQ(server_.stream->read(std::span<char>(server_.bytes)).status, IoStatus::kEof);
}

TEST_F(SocketTest, EndOfAnIdlePeerIsReported) {
  connect();
  loop_.drain();
  server_.read_all();
  EXPECT_EQ(server_.last, IoStatus::kWouldBlock);
  client_->close();
  EXPECT_TRUE(loop_.run_until([&] { return server_.last == IoStatus::kEof; }));
}

TEST_F(SocketTest, HalfCloseStillReads) {
  connect();
  server_.stream->write("bye");
  server_.stream->shutdown_write();
  std::string got;
  ASSERT_TRUE(loop_.run_until([&] { return got += client_->receive(), client_->ended; }));
  EXPECT_EQ(got, "bye");
  client_->send("still here");
  EXPECT_TRUE(loop_.run_until([&] { return server_.bytes == "still here"; }));
}

TEST_F(SocketTest, ResetOfThePeerIsAnError) {
  connect();
  loop_.drain();
  client_->abort();
  EXPECT_TRUE(loop_.run_until([&] { return server_.last == IoStatus::kError; }));
}

TEST_F(SocketTest, ResetIsSeenByThePeerAndCloseIsFinal) {
  connect();
  server_.stream->reset();
  ASSERT_TRUE(loop_.run_until([&] { return client_->receive(), client_->ended; }));
  EXPECT_TRUE(client_->was_reset);
  char buffer[4];
  EXPECT_EQ(server_.stream->read(buffer).status, IoStatus::kError);
  EXPECT_EQ(server_.stream->write("x").status, IoStatus::kError);
  server_.stream->close();
}

TEST_F(SocketTest, CloseDeliversWhatWasWritten) {
  connect();
  const std::string answer = letters(5000);
  EXPECT_EQ(server_.stream->write(answer).bytes, answer.size());
  server_.stream.reset();
  std::string got;
  ASSERT_TRUE(loop_.run_until([&] { return got += client_->receive(), client_->ended; }));
  EXPECT_EQ(got, answer);
  EXPECT_FALSE(client_->was_reset);
}

TEST_F(SocketTest, GathersManyPieces) {
  connect();
  const std::string text = letters(1024);
  std::vector<iovec> pieces;
  for (const char& c : text) pieces.push_back({const_cast<char*>(&c), 1});
  EXPECT_EQ(server_.stream->write(std::span<const iovec>(pieces)).bytes, text.size());
  std::string got;
  EXPECT_TRUE(loop_.run_until([&] { return (got += client_->receive()).size() == text.size(); }));
  EXPECT_EQ(got, text);
}

TEST_F(SocketTest, ShortWriteIsContinuedWhenWritable) {
  connect();
  const std::string answer = letters(1'500'000);
  std::size_t sent = 0;
  int short_writes = 0;
  server_.then_write = [&] {
    while (sent < answer.size()) {
      const IoResult result = server_.stream->write(std::string_view(answer).substr(sent));
      ASSERT_NE(result.status, IoStatus::kError);
      sent += result.bytes;
      if (result.status == IoStatus::kWouldBlock) return;
      ++short_writes;
    }
  };
  server_.then_write();
  EXPECT_LT(sent, answer.size());
  loop_.drain();
  EXPECT_EQ(server_.writable_calls, 0) << "the peer has read nothing yet";
  std::string got;
  ASSERT_TRUE(loop_.run_until([&] { return (got += client_->receive()).size() == answer.size(); }));
  EXPECT_EQ(got, answer);
  EXPECT_GT(short_writes, 1);
  EXPECT_GT(server_.writable_calls, 0);
}

TEST_F(SocketTest, WriteToADeadPeerFailsWithoutASignal) {
  connect();
  client_->abort();
  EXPECT_TRUE(
      loop_.run_until([&] { return server_.stream->write("x").status == IoStatus::kError; }));
}

TEST_F(SocketTest, DestroyedInsideItsCallbackThroughDefer) {
  connect();
  struct Once final : StreamHandler {
    void on_readable() override {
      ++calls;
      stream->close();
      loop->defer([this] { stream.reset(); });
    }
    void on_writable() override { ++calls; }
    Loop* loop = nullptr;
    std::unique_ptr<ByteStream> stream;
    int calls = 0;
  } once;
  once.loop = &loop_.reactor;
  once.stream = std::move(server_.stream);
  once.stream->set_handler(&once);
  client_->send("x");
  ASSERT_TRUE(loop_.run_until([&] { return once.calls > 0; }));
  EXPECT_TRUE(loop_.run_until([&] { return once.stream == nullptr; }));
  loop_.drain();
  EXPECT_EQ(once.calls, 1);
}

// The handler of a blocked write destroys the stream although it is readable, too.
TEST_F(SocketTest, DestroyedInsideOnWritable) {
  connect();
  server_.reading = false;
  while (server_.stream->write(letters(100'000)).status == IoStatus::kOk) {
  }
  server_.then_write = [&] { server_.stream.reset(); };
  client_->send("x");
  EXPECT_TRUE(loop_.run_until([&] { return client_->receive(), server_.stream == nullptr; }));
}

TEST_F(SocketTest, AcceptsAStorm) {
  constexpr std::size_t kClients = 300;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i)
    clients.push_back(std::make_unique<RawClient>(listener_->bound_address()));
  EXPECT_TRUE(loop_.run_until([&] { return acceptor_.streams.size() == kClients; }));
}

TEST_F(SocketTest, ClosedListenerRefuses) {
  listener_->close();
  EXPECT_FALSE(RawClient(listener_->bound_address()).connected);
}

TEST_F(SocketTest, PortInUseIsToldInOneLine) {
  const auto second = Listener::open(loop_.reactor, {listener_->bound_address()}, &acceptor_);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().message,
            "cannot listen on " + listener_->bound_address() + ": Address already in use");
}

TEST_F(SocketTest, WorkersShareThePort) {
  ListenOptions options{listener_->bound_address(), 0, ListenOptions::Port::kShared};
  const auto second = Listener::open(loop_.reactor, options, &acceptor_);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ((*second)->bound_address(), listener_->bound_address());
}

TEST(SplitHostPort, AcceptsHostsAndBracketsAndNothingElse) {
  const auto v4 = split_host_port("127.0.0.1:80");
  ASSERT_TRUE(v4.ok());
  EXPECT_EQ(v4->host, "127.0.0.1");
  EXPECT_EQ(v4->port, "80");
  const auto v6 = split_host_port("[::1]:8080");
  ASSERT_TRUE(v6.ok());
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->port, "8080");
  for (const char* bad : {"", "host", ":80", "host:", "host:http", "host:65536", "[::1:80",
                          "[::1]80", "[]:80", "host:80 "}) {
    EXPECT_FALSE(split_host_port(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace slipstream::net
