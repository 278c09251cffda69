// Corners of the pipeline that neither the simulation nor the fault scenes reach. The bulk of the
// gateway's tests is there.
#include <gtest/gtest.h>

#include "gateway/flights_page.h"
#include "gateway/gateway_harness.h"

namespace slipstream::gateway {
namespace {

using upstream::FailureClass;

TEST_F(GatewayTest, FailureOfAHeadRequestHasNoBody) {
  open();
  const auto client = caller("HEAD /v1/models HTTP/1.1\r\nhost: g\r\n\r\n");
  call(0).fail(FailureClass::kConnect);
  call(1).fail(FailureClass::kConnect);
  const std::string head = receive(*client, "\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 502 ")) << head;
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << head;
  EXPECT_NE(head.find("content-length: "), std::string::npos) << "as a GET would have it";
  // What follows on the connection is the next answer, not a body.
  client->send("GET /v1/models HTTP/1.1\r\nhost: g\r\n\r\n");
  call(2).answer_head("content-length: 2\r\n");
  call(2).answer_body("ok");
  call(2).end();
  EXPECT_TRUE(receive(*client, "ok").starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_F(GatewayTest, RefusalInsideAnAnswerIsAReset) {
  open();
  const auto client = caller(
      "PUT /v1/files HTTP/1.1\r\nhost: g\r\ntransfer-encoding: chunked\r\n\r\n"
      "2\r\nab\r\n");
  call(0).answer_head("content-length: 1000\r\n");
  call(0).answer_body("early");
  EXPECT_NE(receive(*client, "early").find("content-length: 1000"), std::string::npos);
  client->send("this is no chunk\r\n");
  std::string rest;
  EXPECT_TRUE(loop_.run_until([&] { return rest += client->receive(), client->ended; }));
  EXPECT_EQ(rest, "") << "a 400 here would be read as the answer's body";
  EXPECT_TRUE(client->was_reset);
}

TEST_F(GatewayTest, RetryThatFailsTooCostsOneToken) {
  open({{"retry.backoff_base", "1ms"}});
  upstream::RetryBudget& budget = workers_[0]->retry_budget();
  const auto client = caller(chat());
  call(0);
  const double before = budget.available(loop_.reactor.now());
  call(0).fail(FailureClass::kCut);
  call(1).fail(FailureClass::kCut);
  EXPECT_TRUE(receive(*client, "upstream_cut").starts_with("HTTP/1.1 502 "));
  // A second may have passed and brought the floor's token.
  EXPECT_GE(budget.available(loop_.reactor.now()), before - 1.001);
}

TEST_F(GatewayTest, BodyTooLargeToHoldReachesAnHttp10CallerUnframed) {
  open({{"upstream.response_bytes_max", "1KiB"}});
  const auto client = caller(chat("1.0"));
  const std::string body(4000, 'x');
  call(0).answer_head("content-type: application/json\r\ntransfer-encoding: chunked\r\n");
  call(0).answer_body(body);
  call(0).end();
  std::string all;
  EXPECT_TRUE(loop_.run_until([&] { return all += client->receive(), client->ended; }));
  EXPECT_EQ(all.find("transfer-encoding"), std::string::npos);
  EXPECT_TRUE(all.ends_with("\r\n\r\n" + body));
}

TEST_F(GatewayTest, FollowerThatFallsBackIsOneRequest) {
  open({{"coalesce.follower_wait", "1ms"}});
  const auto leader = caller(chat());
  call(0);
  const auto follower = caller(chat());
  call(1);  // its own
  EXPECT_EQ(metrics_->total(telemetry::Counter::kRequests), 2U);
  EXPECT_EQ(metrics_->total(telemetry::Counter::kFallbacks), 1U);
}

// Keeps what should wake the home worker.
class HeldPort final : public flight::WakePort {
 public:
  void wake(flight::FlightRef flight) override { held.push_back(std::move(flight)); }
  std::vector<flight::FlightRef> held;
};

TEST_F(GatewayTest, RetryMeetsAFlightThatWasAbandonedElsewhere) {
  open({{"coalesce.grace_max", "0s"}, {"retry.backoff_base", "1ms"}}, 2);
  auto leader = caller(chat(), 0);
  call(0);
  const auto follower = caller(chat(), 1);
  ASSERT_TRUE(loop_.run_until([&] { return workers_[1]->live_subscribers() == 1; }));
  leader->abort();
  ASSERT_TRUE(loop_.run_until([&] { return workers_[0]->live_subscribers() == 0; }));
  HeldPort slow;
  shared_->ports[0] = &slow;
  // The last subscriber goes while a retry is due; news of it is late.
  call(0).fail(FailureClass::kStale);
  workers_[1]->shut_down();
  ASSERT_TRUE(loop_.run_until([&] { return workers_[0]->live_flights() == 0; }));
  EXPECT_EQ(upstream_.calls.size(), 1U) << "nobody wants the second attempt";
  EXPECT_EQ(shared_->table.size(), 0U);
  shared_->ports[0] = workers_[0].get();
  ASSERT_EQ(slow.held.size(), 1U);
  workers_[0]->wake(std::move(slow.held[0]));
  slow.held.clear();
  loop_.drain();
}

std::string with_fields(std::string request, std::string_view fields) {
  return request.insert(request.find("\r\n") + 2, fields);
}

TEST_F(GatewayTest, ACallerThatAsksIsToldKeyAndProof) {
  open();
  const auto plain = caller(chat());
  call(0);
  const auto curious = caller(with_fields(chat(), "x-slipstream-explain: 1\r\n"));
  ASSERT_TRUE(loop_.run_until([&] { return workers_[0]->live_subscribers() == 2; }));
  EXPECT_EQ(upstream_.calls.size(), 1U) << "asking is not keyed";
  EXPECT_EQ(call(0).head.find("x-slipstream"), std::string::npos);
  call(0).answer_head("content-length: 2\r\n");
  call(0).answer_body("{}");
  call(0).end();
  const std::string told = receive(*curious, "{}");
  EXPECT_NE(told.find("\r\nx-slipstream-proof: \"`temperature` is explicitly 0"),
            std::string::npos);
  const std::size_t key = told.find("\r\nx-slipstream-key: ");
  ASSERT_NE(key, std::string::npos) << told;
  EXPECT_EQ(told.find("\r\n", key + 2), key + 20 + 12) << "twelve digits";
  EXPECT_EQ(receive(*plain, "{}").find("x-slipstream-"), std::string::npos);
  // The next request of the same connection asks nothing.
  curious->send(chat());
  call(1).answer_head("content-length: 2\r\n");
  call(1).answer_body("{}");
  call(1).end();
  EXPECT_EQ(receive(*curious, "{}").find("x-slipstream-"), std::string::npos);
}

TEST_F(GatewayTest, SampledTwinsAreWhatSharingWouldHaveSaved) {
  open({}, 2);
  const auto sampled = [](std::string_view more) {
    std::string request = chat("1.1", more);
    return request.replace(request.find("\"temperature\":0"), 15, "\"temperature\":1");
  };
  const auto first = caller(sampled(""), 0);
  call(0);
  const auto twin = caller(sampled(""), 1);
  call(1);
  const auto other = caller(sampled(",\"n\":2"), 1);
  call(2);
  const auto shared = caller(chat(), 0);
  call(3);
  const auto saved = [this] { return metrics_->total(telemetry::Counter::kCouldHaveShared); };
  EXPECT_EQ(saved(), 1U);
  // Whoever left is no twin any more: one after the other nothing could be shared.
  for (std::size_t i = 0; i < 2; ++i) {
    call(i).answer_head("content-length: 2\r\n");
    call(i).answer_body("{}");
    call(i).end();
  }
  receive(*first, "{}");
  receive(*twin, "{}");
  first->send(sampled(""));
  call(4);
  EXPECT_EQ(saved(), 1U);
  twin->abort();
  const std::string page = flights_page(*shared_, 5);
  EXPECT_NE(page.find(R"("sampled":{"calls":4,"would_have_saved":1,"keys":[{"key":")"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find(R"(","saved":1}]}})"), std::string::npos) << page;
}

TEST_F(GatewayTest, TurnedAwayConnectionsAreCounted) {
  open({{"limits.connections", "1"}});
  const auto first = caller(chat());
  call(0);
  const auto second = caller("");
  EXPECT_TRUE(loop_.run_until([&] { return second->receive().empty() && second->ended; }));
  const std::string page = metrics_->expose();
  const std::size_t at = page.find("reason=\"connections\"");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(page.substr(page.find("} ", at), 4), "} 1\n");
}

}  // namespace
}  // namespace slipstream::gateway
