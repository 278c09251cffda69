#include "admin/admin_server.h"

#include <gtest/gtest.h>

#include "net/loop_harness.h"

namespace slipstream::admin {
namespace {

class AdminServerTest : public testing::Test {
 protected:
  AdminServerTest() {
    auto opened = AdminServer::open(loop_.reactor, "127.0.0.1:0",
                                    {.not_ready = [] { return std::string_view(); },
                                     .metrics = [this] { return metrics_; },
                                     .flights = [] { return std::string("{}\n"); },
                                     .explain =
                                         [](const http::Head&, std::string_view body) {
                                           return Page{200, "application/json", std::string(body)};
                                         }});
    EXPECT_TRUE(opened.ok());
    server_ = std::move(*opened);
  }
  // Sends `request` on `client` and reads until `end` has come `times` times.
  std::string ask(net::RawClient& client, std::string_view request, std::string_view end,
                  int times = 1) {
    client.send(request);
    std::string all;
    const auto seen = [&] {
      int count = 0;
      for (std::size_t at = 0; (at = all.find(end, at)) != std::string::npos; at += end.size())
        ++count;
      return count;
    };
    EXPECT_TRUE(loop_.run_until([&] {
      all += client.receive();
      return seen() >= times || client.ended;
    }));
    return all;
  }
  testing::AssertionResult ends(net::RawClient& client) {
    return loop_.run_until([&] { return client.receive().empty() && client.ended; });
  }

  net::LoopHarness loop_;
  std::string metrics_ = "slipstream_x 1\n";
  std::unique_ptr<AdminServer> server_;
};

TEST_F(AdminServerTest, AnswersAndKeepsTheConnection) {
  net::RawClient client(server_->address());
  EXPECT_EQ(ask(client, "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n", "ok\n"),
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 3\r\n"
            "cache-control: no-store\r\nconnection: keep-alive\r\n\r\nok\n");
  EXPECT_NE(ask(client, "GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n", "slipstream_x 1\n").find("200"),
            std::string::npos);
  EXPECT_FALSE(client.ended);
}

TEST_F(AdminServerTest, PipelinedRequestsAreAnsweredInOrder) {
  net::RawClient client(server_->address());
  const std::string all = ask(client,
                              "GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n"
                              "POST /explain HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n[]"
                              "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n",
                              "HTTP/1.1 200 OK", 3);
  EXPECT_LT(all.find("slipstream_x"), all.find("[]"));
  EXPECT_LT(all.find("[]"), all.find("ok\n"));
}

TEST_F(AdminServerTest, HeadHasNoBody) {
  net::RawClient client(server_->address());
  const std::string all =
      ask(client, "HEAD /metrics HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", "\r\n\r\n");
  EXPECT_NE(all.find("content-length: 15\r\n"), std::string::npos);
  EXPECT_TRUE(all.ends_with("\r\n\r\n"));
  EXPECT_TRUE(ends(client));
}

TEST_F(AdminServerTest, NothingIsAnsweredAfterClose) {
  net::RawClient client(server_->address());
  std::string all = ask(client,
                        "GET /healthz HTTP/1.0\r\n\r\n"
                        "GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n",
                        "ok\n");
  EXPECT_TRUE(ends(client));
  EXPECT_EQ(all.find("slipstream_x"), std::string::npos);
}

TEST_F(AdminServerTest, WhatIsNotHttpIsRefusedWithASentence) {
  net::RawClient client(server_->address());
  const std::string all = ask(client, "nonsense\r\n\r\n", "\n", 7);
  EXPECT_TRUE(all.starts_with("HTTP/1.1 400 ")) << all;
  EXPECT_TRUE(all.ends_with(".\n")) << all;
  EXPECT_TRUE(ends(client));
}

TEST_F(AdminServerTest, LargePagesArriveWhole) {
  metrics_.assign(8'000'000, 'm');
  metrics_ += "END\n";
  net::RawClient client(server_->address());
  const std::string all = ask(client, "GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n", "END\n");
  EXPECT_NE(all.find("content-length: 8000004\r\n"), std::string::npos);
  EXPECT_GT(all.size(), metrics_.size());
}

TEST_F(AdminServerTest, PeerThatAsksWithoutReadingIsCut) {
  metrics_.assign(8'000'000, 'm');
  net::RawClient client(server_->address());
  for (int i = 0; i < 20; ++i) client.send("GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n");
  loop_.drain();
  loop_.drain();
  std::size_t got = 0;
  EXPECT_TRUE(loop_.run_until([&] { return got += client.receive().size(), client.ended; }));
  EXPECT_LT(got, 10 * metrics_.size());
}

TEST_F(AdminServerTest, ConnectionsAreBoundedAndGoodbyesAreNoticed) {
  std::vector<std::unique_ptr<net::RawClient>> crowd;
  for (int i = 0; i < 256; ++i)
    crowd.push_back(std::make_unique<net::RawClient>(server_->address()));
  loop_.drain();
  net::RawClient late(server_->address());
  EXPECT_TRUE(ends(late));
  crowd.clear();
  loop_.drain();
  net::RawClient next(server_->address());
  EXPECT_NE(ask(next, "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n", "ok\n").find("200"),
            std::string::npos);
}

TEST_F(AdminServerTest, AddressInUseIsAValue) {
  const auto second = AdminServer::open(loop_.reactor, server_->address(), {});
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find(server_->address()), std::string::npos);
}

TEST_F(AdminServerTest, GoesAwayWithOpenConnections) {
  net::RawClient client(server_->address());
  ask(client, "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n", "ok\n");
  server_.reset();
  EXPECT_TRUE(ends(client));
}

}  // namespace
}  // namespace slipstream::admin
