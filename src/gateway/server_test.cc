// The running server: its threads, its real listeners, and what it refuses before a worker sees it.
#include "gateway/server.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "config/load.h"
#include "net/loop_harness.h"

namespace slipstream::gateway {
namespace {

// Nobody listens there: every answer is a 502, at once.
constexpr const char* kNoUpstream = "http://127.0.0.1:1";
constexpr std::string_view kRequest = "GET /v1/models HTTP/1.1\r\nhost: g\r\n\r\n";

// Read by every thread of the server.
class JumpingClock final : public Clock {
 public:
  Time now() const override { return system_.now() + Duration(ahead_.load()); }
  WallTime wall_now() const override { return system_.wall_now(); }
  void jump(Duration by) { ahead_ += by.count(); }

 private:
  SystemClock system_;
  std::atomic<Duration::rep> ahead_{0};
};

class ServerTest : public testing::Test {
 protected:
  void start(const std::string& connections_per_address,
             const std::string& upstream = kNoUpstream) {
    config::LoadInput input;
    input.flags = {{"listen", "127.0.0.1:0"},
                   {"workers", "2"},
                   {"upstream.url", upstream},
                   {"retry.enabled", "false"},
                   {"limits.connections_per_address", connections_per_address}};
    auto loaded = config::load(input);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    telemetry::MetricsOptions options;
    options.workers = Server::worker_count(loaded->settings);
    options.label_values = metric_labels();
    metrics_ = std::make_unique<telemetry::Metrics>(std::move(options));
    auto server = Server::create(loaded->settings, *metrics_, log_, clock_);
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = std::move(*server);
    server_->start();
  }

  std::unique_ptr<net::RawClient> connect() {
    auto client = std::make_unique<net::RawClient>(server_->address());
    EXPECT_TRUE(client->connected);
    return client;
  }
  // The first bytes that come, or the end of the connection.
  static std::string await(net::RawClient& client) {
    pollfd wanted{.fd = client.fd, .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&wanted, 1, 20'000), 1);
    return client.receive();
  }
  static bool is_served(net::RawClient& client) {
    ::send(client.fd, kRequest.data(), kRequest.size(), MSG_NOSIGNAL);  // may be reset already
    return await(client).starts_with("HTTP/1.1 502 ");
  }
  bool page_has(std::string_view text) const {
    return metrics_->expose().find(text) != std::string::npos;
  }

  JumpingClock clock_;
  telemetry::Log log_{telemetry::Level::kOff, telemetry::LogFormat::kText, clock_};
  std::unique_ptr<telemetry::Metrics> metrics_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnAddressHasItsShareOfConnectionsOverAllWorkers) {
  start("3");
  std::vector<std::unique_ptr<net::RawClient>> kept;
  for (int i = 0; i < 3; ++i) {
    kept.push_back(connect());
    EXPECT_TRUE(is_served(*kept.back())) << i;
  }
  const auto one_more = connect();
  EXPECT_EQ(await(*one_more), "");
  EXPECT_TRUE(one_more->was_reset);
  EXPECT_TRUE(page_has("slipstream_refused_requests_total{route=\"default\","));
  EXPECT_TRUE(is_served(*kept.front())) << "those that are in stay in";
  EXPECT_EQ(server_->shared().connections.load(), 3U);
}

TEST_F(ServerTest, AConnectionThatEndsMakesRoomForAnother) {
  start("1");
  auto client = connect();
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(is_served(*client)) << round;
    client->close();
    // The server notices the end on its own thread: until then the next one may be turned away.
    do {
      client = connect();
    } while (!is_served(*client));
  }
}

TEST_F(ServerTest, WithoutALimitOneAddressMayHaveAny) {
  start("0");
  std::vector<std::unique_ptr<net::RawClient>> kept;
  for (int i = 0; i < 50; ++i) kept.push_back(connect());
  for (auto& client : kept) EXPECT_TRUE(is_served(*client));
  EXPECT_FALSE(page_has("slipstream_refused_requests_total{"));
}

TEST_F(ServerTest, IsReadyWhenTheFirstLookHasEndedHoweverItEnds) {
  start("0");  // nobody listens: the look fails at once
  server_->wait_first_look();
  EXPECT_EQ(server_->not_ready(), "");
  server_->drain();
  EXPECT_EQ(server_->not_ready(), "draining");
}

TEST_F(ServerTest, AnUpstreamThatSaysNothingDelaysReadinessForTwoSeconds) {
  net::Reactor unused(clock_);
  // Connections are made, and nobody ever reads them.
  const auto silent = net::Listener::open(unused, {.address = "127.0.0.1:0"}, nullptr);
  ASSERT_TRUE(silent.ok());
  start("0", "http://" + (*silent)->bound_address());
  EXPECT_EQ(server_->not_ready(), "starting");
  const auto client = connect();  // requests are served all the same
  client->send("GET / HTTP/9.9\r\n\r\n");
  EXPECT_NE(await(*client), "");
  clock_.jump(seconds(2));
  EXPECT_EQ(server_->not_ready(), "");
}

TEST(AddressLimit, CountsPerCallerAndForgetsWhoLeft) {
  AddressLimit limit(2);
  using enum AddressLimit::Entry;
  EXPECT_EQ(limit.enter("a"), kAdmitted);
  EXPECT_EQ(limit.enter("a"), kAdmitted);
  EXPECT_EQ(limit.enter("a"), kFull);
  EXPECT_EQ(limit.enter("b"), kAdmitted) << "others are not affected";
  limit.leave("a");
  EXPECT_EQ(limit.enter("a"), kAdmitted);
  EXPECT_EQ(limit.enter("a"), kFull) << "a refusal counts nothing";
}

TEST(AddressLimit, AnIpv6NetworkIsOneCaller) {
  const auto caller = AddressLimit::caller_of;
  EXPECT_EQ(caller("192.0.2.7"), "192.0.2.7");
  EXPECT_NE(caller("192.0.2.7"), caller("192.0.2.8"));
  EXPECT_EQ(caller("::ffff:192.0.2.7"), "192.0.2.7") << "IPv4 through an IPv6 socket";
  EXPECT_EQ(caller("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(caller("2001:db8:1:2::9"), caller("2001:db8:1:2:ffff::1"));
  EXPECT_NE(caller("2001:db8:1:2::9"), caller("2001:db8:1:3::9"));
}

}  // namespace
}  // namespace slipstream::gateway
