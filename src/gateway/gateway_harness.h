// For tests: workers on one loop, callers on real sockets, an upstream that is the test itself.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/load.h"
#include "gateway/worker.h"
#include "http/parser.h"
#include "net/loop_harness.h"

namespace slipstream::gateway {

// One call as the upstream sees it. Lives on after the gateway has let go of it.
class FakeCall {
 public:
  FakeCall(const upstream::Call& call, upstream::AttemptHandler* to)
      : head(call.head), body(call.body), handler(to) {}

  // Precondition of all: the gateway still wants the call.
  void answer_head(const std::string& fields, const std::string& status = "200 OK") {
    http::Parser parser(http::Parser::Kind::kResponse, http::Limits{});
    const std::string text = "HTTP/1.1 " + status + "\r\n" + fields + "\r\n";
    std::string_view input = text;
    ASSERT_EQ(parser.next(input), http::Parser::Step::kHead);
    handler->on_head(parser.head());
  }
  void answer_body(std::string_view bytes) {
    handler->on_body(bytes);
    if (handler) handler->on_batch();
  }
  void end() { handler->on_end(); }
  void fail(upstream::FailureClass why) { handler->on_failure(why); }

  std::string head;
  std::string body;
  std::string uploaded;
  upstream::AttemptHandler* handler;  // null: cancelled or over
};

class FakeUpstream final : public upstream::Upstream {
 public:
  std::unique_ptr<upstream::Attempt> start(upstream::Call call,
                                           upstream::AttemptHandler* handler) override {
    calls.push_back(std::make_shared<FakeCall>(call, handler));
    handler->on_sent();
    return std::make_unique<FakeAttempt>(calls.back());
  }
  std::vector<std::shared_ptr<FakeCall>> calls;

 private:
  class FakeAttempt final : public upstream::Attempt {
   public:
    explicit FakeAttempt(std::shared_ptr<FakeCall> call) : call_(std::move(call)) {}
    ~FakeAttempt() override { call_->handler = nullptr; }
    void set_deadline(Time) override {}
    void pause() override {}
    void resume() override {}
    void upload(std::string_view bytes) override { call_->uploaded += bytes; }
    void finish_upload() override {}
    std::uint64_t upload_backlog() const override { return 0; }
    bool on_reused_connection() const override { return false; }

   private:
    std::shared_ptr<FakeCall> call_;
  };
};

class GatewayTest : public testing::Test {
 protected:
  using Options = std::vector<std::pair<std::string, std::string>>;

  void open(Options options = {}, std::size_t workers = 1) {
    config::LoadInput input;
    input.flags = std::move(options);
    input.flags.emplace_back("upstream.url", "http://127.0.0.1:1");
    auto loaded = config::load(input);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    telemetry::MetricsOptions metrics;
    metrics.workers = workers;
    metrics.label_values = metric_labels();
    metrics_ = std::make_unique<telemetry::Metrics>(std::move(metrics));
    shared_ = std::make_unique<Shared>(loaded->settings, workers, *metrics_, log_, loop_.clock);
    for (std::size_t i = 0; i < workers; ++i) {
      workers_.push_back(std::make_unique<Worker>(*shared_, static_cast<flight::WorkerIndex>(i),
                                                  loop_.reactor, upstream_,
                                                  std::make_unique<SeededRandom>(i)));
      auto listening =
          net::Listener::open(loop_.reactor, {.address = "127.0.0.1:0"}, workers_.back().get());
      ASSERT_TRUE(listening.ok());
      listeners_.push_back(std::move(*listening));
    }
  }
  void TearDown() override {
    for (auto& worker : workers_) worker->shut_down();
    loop_.drain();
  }

  // A caller of worker `index` that has sent `request`.
  std::unique_ptr<net::RawClient> caller(std::string_view request, std::size_t index = 0) {
    auto client = std::make_unique<net::RawClient>(listeners_[index]->bound_address());
    client->send(request);
    return client;
  }
  // The next call of the gateway, the `index`-th in all.
  FakeCall& call(std::size_t index) {
    EXPECT_TRUE(loop_.run_until([&] { return upstream_.calls.size() > index; }));
    return *upstream_.calls.at(index);
  }
  // Reads until `end` has come or the connection ended.
  std::string receive(net::RawClient& client, std::string_view end) {
    std::string all;
    EXPECT_TRUE(loop_.run_until([&] {
      all += client.receive();
      return client.ended || all.find(end) != std::string::npos;
    }));
    return all;
  }

  net::LoopHarness loop_;
  telemetry::Log log_{telemetry::Level::kOff, telemetry::LogFormat::kText, loop_.clock};
  FakeUpstream upstream_;
  std::unique_ptr<telemetry::Metrics> metrics_;
  std::unique_ptr<Shared> shared_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<net::Listener>> listeners_;
};

inline std::string chat(std::string_view version = "1.1", std::string_view more = "") {
  const std::string body =
      R"({"model":"m","temperature":0,"messages":[{"role":"user","content":"hi"}])" +
      std::string(more) + "}";
  return "POST /v1/chat/completions HTTP/" + std::string(version) +
         "\r\nhost: g\r\ncontent-type: application/json\r\ncontent-length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace slipstream::gateway
