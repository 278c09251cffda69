#include "net/connector.h"

#include "net/loop_harness.h"

namespace slipstream::net {
namespace {

class Outcome final : public ConnectHandler {
 public:
  void on_connected(std::unique_ptr<ByteStream> connected) override {
    ++calls;
    stream = std::move(connected);
    pending.reset();  // allowed from inside
  }
  void on_connect_failed(ConnectError why) override {
    ++calls;
    error = why;
    pending.reset();
  }
  int calls = 0;
  ConnectError error = ConnectError::kNone;
  std::unique_ptr<ByteStream> stream;
  std::unique_ptr<PendingConnect> pending;
};

class ConnectorTest : public testing::Test {
 protected:
  ConnectorTest() {
    auto listening = Listener::open(loop_.reactor, {"127.0.0.1:0"}, &acceptor_);
    EXPECT_TRUE(listening.ok());
    listener_ = std::move(*listening);
    port_ = split_host_port(listener_->bound_address())->port;
  }
  void connect(const std::string& host, const std::string& port, long long timeout_ms = 15'000) {
    outcome_.pending = connector_.connect({host, port}, timeout_ms, &outcome_);
    EXPECT_EQ(outcome_.calls, 0) << "never from inside connect()";
  }
  bool finished() const { return outcome_.calls > 0; }

  LoopHarness loop_;
  Acceptor acceptor_;
  std::unique_ptr<Listener> listener_;
  std::string port_;
  TcpConnector connector_{loop_.reactor, nullptr};
  Outcome outcome_;
};

TEST_F(ConnectorTest, ConnectsAndTalks) {
  connect("127.0.0.1", port_);
  ASSERT_TRUE(loop_.run_until([&] { return finished() && !acceptor_.streams.empty(); }));
  ASSERT_NE(outcome_.stream, nullptr);
  EXPECT_EQ(outcome_.stream->peer_address(), "127.0.0.1");
  Recorder server;
  server.attach(std::move(acceptor_.streams.back()));
  outcome_.stream->write("hello");
  EXPECT_TRUE(loop_.run_until([&] { return server.bytes == "hello"; }));
}

// "localhost" may name ::1 first, where nobody listens: every address has its turn.
TEST_F(ConnectorTest, ResolvesNamesAndTriesEveryAddress) {
  connect("localhost", port_);
  ASSERT_TRUE(loop_.run_until([&] { return finished(); }));
  EXPECT_NE(outcome_.stream, nullptr);
}

TEST_F(ConnectorTest, RefusedIsToldOnce) {
  listener_->close();
  connect("127.0.0.1", port_);
  ASSERT_TRUE(loop_.run_until([&] { return finished(); }));
  loop_.drain();
  EXPECT_EQ(outcome_.error, ConnectError::kRefused);
  EXPECT_EQ(outcome_.calls, 1);
}

TEST_F(ConnectorTest, RefusedByEveryAddressOfAName) {
  listener_->close();
  connect("localhost", port_);
  ASSERT_TRUE(loop_.run_until([&] { return finished(); }));
  EXPECT_EQ(outcome_.error, ConnectError::kRefused);
}

TEST_F(ConnectorTest, BadPortIsAFailureNotAnException) {
  for (const char* port : {"", "http", "65536"}) {
    outcome_.calls = 0;
    connect("127.0.0.1", port);
    ASSERT_TRUE(loop_.run_until([&] {
      loop_.reactor.post([] {});
      return finished();
    }));
    EXPECT_EQ(outcome_.error, ConnectError::kResolve);
  }
}

TEST_F(ConnectorTest, NoTimeMeansTimeoutAndOneOutcomeOnly) {
  for (const char* host : {"127.0.0.1", "localhost"}) {
    Outcome outcome;
    // Kept alive after the outcome: nothing more may come of it.
    const auto pending = connector_.connect({host, port_}, 0, &outcome);
    ASSERT_TRUE(loop_.run_until([&] { return outcome.calls > 0; }));
    loop_.drain();
    EXPECT_EQ(outcome.calls, 1);
  }
}

TEST_F(ConnectorTest, DestroyingThePendingConnectCancels) {
  for (const char* host : {"127.0.0.1", "localhost"}) {
    connect(host, port_);
    outcome_.pending.reset();
    loop_.drain();
    EXPECT_EQ(outcome_.calls, 0);
  }
  connect("127.0.0.1", port_);
  ASSERT_TRUE(loop_.run_until([&] { return finished(); })) << "others are not hurt";
}

TEST(ConnectError, HasNames) {
  EXPECT_EQ(to_string(ConnectError::kTimeout), "timeout");
  EXPECT_EQ(to_string(ConnectError::kTls), "tls");
}

}  // namespace
}  // namespace slipstream::net
