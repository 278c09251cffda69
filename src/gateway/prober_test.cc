// When the prober looks, and what becomes of what it sees: a clock that jumps, answers by hand.
#include "gateway/prober.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gateway/gateway_harness.h"

namespace slipstream::gateway {
namespace {

// Noon of 2026-03-01, put forward by hand; timers that were set before a jump fire after it.
class NoonClock final : public Clock {
 public:
  Time now() const override { return system_.now() + ahead_; }
  WallTime wall_now() const override {
    return WallTime{} + std::chrono::hours(24 * 20513 + 12) +
           std::chrono::duration_cast<WallTime::duration>(now() - began_);
  }
  void jump(Duration by) { ahead_ += by; }

 private:
  SystemClock system_;
  Duration ahead_{};
  const Time began_ = system_.now();
};

class ProberTest : public testing::Test {
 protected:
  void open(std::vector<std::pair<std::string, std::string>> options) {
    config::LoadInput input;
    input.flags = std::move(options);
    auto loaded = config::load(input);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    telemetry::MetricsOptions options_of_metrics;
    options_of_metrics.label_values = metric_labels();
    metrics_ = std::make_unique<telemetry::Metrics>(std::move(options_of_metrics));
    shared_ = std::make_unique<Shared>(loaded->settings, 1, *metrics_, log_, clock_);
    worker_ = std::make_unique<Worker>(*shared_, flight::WorkerIndex{0}, reactor_, upstream_,
                                       std::make_unique<SeededRandom>(1));
    prober_ = std::make_unique<Prober>(*worker_, [this] { ++looked_; });
    prober_->start();
  }
  void TearDown() override {
    prober_.reset();
    settle();
  }

  // Timers set after a jump are late by as much, unless another one goes off: so some do.
  void settle() {
    for (int turn = 0; turn < 6; ++turn) {
      bool fired = false;
      net::Timer nudge(reactor_, [&] { fired = true; });
      nudge.set(Time{});
      ASSERT_TRUE(reactor_.run_until([&] { return fired; }, seconds(20)));
    }
  }
  void jump(Duration by) {
    clock_.jump(by);
    settle();
  }
  // The next question is `path`; `body` answers it.
  void answer(std::string_view path, std::string_view body, std::string_view status = "200 OK") {
    settle();
    if (upstream_.calls.size() <= answered_) throw std::runtime_error("nothing was asked");
    FakeCall& call = *upstream_.calls[answered_++];
    EXPECT_TRUE(call.head.starts_with("GET " + std::string(path) + " HTTP/1.1\r\n")) << call.head;
    call.answer_head("content-length: " + std::to_string(body.size()) + "\r\n",
                     std::string(status));
    if (!body.empty()) call.answer_body(body);
    call.end();
    settle();
  }
  std::size_t unanswered() const { return upstream_.calls.size() - answered_; }
  std::string epoch() const { return shared_->epoch.value().text; }
  std::uint64_t changes(EpochCause cause) const {
    std::uint64_t sum = 0;
    metrics_->worker(0).each([&](const telemetry::Series& series) {
      sum +=
          series.value(telemetry::LabelledCounter::kEpochChanges, static_cast<std::size_t>(cause));
    });
    return sum;
  }

  NoonClock clock_;
  net::Reactor reactor_{clock_};
  telemetry::Log log_{telemetry::Level::kOff, telemetry::LogFormat::kText, clock_};
  FakeUpstream upstream_;
  std::unique_ptr<telemetry::Metrics> metrics_;
  std::unique_ptr<Shared> shared_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Prober> prober_;
  std::size_t answered_ = 0;
  int looked_ = 0;
};

constexpr const char* kOne = R"({"model_id":"m","model_sha":"1"})";
constexpr const char* kTwo = R"({"model_id":"m","model_sha":"2"})";

TEST_F(ProberTest, LooksAtStartAndEveryInterval) {
  open({{"upstream.profile", "tgi"}, {"upstream.probe_interval", "30s"}});
  EXPECT_EQ(looked_, 0);
  answer("/info", kOne);
  EXPECT_EQ(looked_, 1);
  EXPECT_EQ(changes(EpochCause::kFirstProbe), 1U);
  const std::string first = epoch();
  jump(seconds(29));
  EXPECT_EQ(unanswered(), 0U);
  jump(seconds(1));
  answer("/info", kOne);
  EXPECT_EQ(epoch(), first);
  jump(seconds(30));
  answer("/info", kTwo);
  EXPECT_NE(epoch(), first);
  EXPECT_EQ(changes(EpochCause::kObserved), 1U);
  EXPECT_EQ(looked_, 1) << "only the first is told";
}

TEST_F(ProberTest, NeverLooksWithAnIntervalOfZero) {
  open({{"upstream.probe_interval", "0s"}});
  EXPECT_EQ(looked_, 1) << "nothing to wait for";
  prober_->probe_soon();
  settle();
  jump(std::chrono::hours(1));
  EXPECT_TRUE(upstream_.calls.empty());
  EXPECT_FALSE(epoch().starts_with("unprobed"));
}

TEST_F(ProberTest, MidnightIsAnEpochWhereThePromptMayContainTheDate) {
  open({{"upstream.profile", "vllm"}, {"upstream.probe_interval", "24h"}});
  answer("/version", R"({"version":"1"})");
  answer("/v1/models", R"({"data":[]})");
  answer("/tokenizer_info", "", "404 Not Found");
  const std::string today = epoch();
  jump(std::chrono::hours(11));
  EXPECT_EQ(epoch(), today);
  jump(std::chrono::hours(1));
  EXPECT_NE(epoch(), today);
  EXPECT_EQ(changes(EpochCause::kDate), 1U);
}

TEST_F(ProberTest, MidnightIsNoneWhereTheTemplateWasSeen) {
  open({{"upstream.profile", "llamacpp"}, {"upstream.probe_interval", "24h"}});
  answer("/props", R"({"chat_template":"{{ messages }}"})");
  answer("/v1/models", R"({"data":[{"id":"m"}]})");
  answer("/lora-adapters", "[]");
  const std::string today = epoch();
  jump(std::chrono::hours(12));
  EXPECT_EQ(epoch(), today);
}

TEST_F(ProberTest, RepeatsAFailedLookSoonAndKeepsWhatWasKnown) {
  open({{"upstream.profile", "tgi"}, {"upstream.probe_interval", "30s"}});
  answer("/info", kOne);
  const std::string known = epoch();
  jump(seconds(30));
  ASSERT_EQ(unanswered(), 1U);
  upstream_.calls[answered_++]->fail(upstream::FailureClass::kConnect);
  settle();
  EXPECT_EQ(epoch(), known);
  jump(seconds(1));
  answer("/info", "", "503 Service Unavailable");
  jump(seconds(1));
  answer("/info", kOne);
  EXPECT_EQ(epoch(), known);
  jump(seconds(1));
  EXPECT_EQ(unanswered(), 0U);
}

TEST_F(ProberTest, ALookThatGetsNoAnswerEnds) {
  open({{"upstream.profile", "tgi"}, {"upstream.probe_interval", "30s"}});
  settle();
  ASSERT_EQ(upstream_.calls.size(), 1U);
  jump(seconds(5));
  EXPECT_EQ(upstream_.calls[answered_++]->handler, nullptr) << "let go of";
  EXPECT_EQ(looked_, 1) << "it ended without an answer";
  jump(seconds(1));
  answer("/info", kOne);
  EXPECT_EQ(changes(EpochCause::kFirstProbe), 1U);
}

TEST_F(ProberTest, ReasonsToLookAreServedOncePerSecond) {
  open({{"upstream.profile", "tgi"}, {"upstream.probe_interval", "30s"}});
  answer("/info", kOne);
  for (int i = 0; i < 5; ++i) prober_->probe_soon();
  settle();
  EXPECT_EQ(unanswered(), 0U);
  jump(seconds(1));
  ASSERT_EQ(unanswered(), 1U);
  prober_->probe_soon();  // during a look: what changed may be missing in it
  answer("/info", kOne);
  jump(seconds(1));
  answer("/info", kTwo);
  EXPECT_EQ(changes(EpochCause::kObserved), 1U);
  jump(seconds(1));
  EXPECT_EQ(unanswered(), 0U);
}

TEST_F(ProberTest, FindsOutTheKindOnceAndAgainWhenInDoubt) {
  open({{"upstream.probe_interval", "30s"}});
  const char* models = R"({"data":[{"id":"m","owned_by":"vllm"}]})";
  answer("/v1/models", models);
  answer("/version", R"({"version":"1"})");
  answer("/tokenizer_info", "", "404 Not Found");
  EXPECT_EQ(shared_->epoch.value().profile, Profile::kVllm);
  jump(seconds(30));
  answer("/version", R"({"version":"1"})");  // no detection
  answer("/v1/models", models);
  answer("/tokenizer_info", "", "404 Not Found");
  jump(seconds(1));
  prober_->probe_soon();
  settle();
  answer("/v1/models", R"({"data":[{"id":"m","owned_by":"llamacpp"}]})");
  answer("/props", "{}");
  answer("/lora-adapters", "[]");
  EXPECT_EQ(shared_->epoch.value().profile, Profile::kLlamaCpp);
}

TEST_F(ProberTest, AnAnswerWithoutEndIsNotRead) {
  open({{"upstream.profile", "tgi"}, {"upstream.probe_interval", "30s"}});
  settle();
  FakeCall& call = *upstream_.calls.at(answered_++);
  call.answer_head("transfer-encoding: chunked\r\n");
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 2; ++i) call.answer_body(piece);
  call.answer_body("x");
  EXPECT_EQ(call.handler, nullptr) << "let go of";
  settle();
  EXPECT_EQ(changes(EpochCause::kFirstProbe), 1U) << "it tells nothing";
}

}  // namespace
}  // namespace slipstream::gateway
