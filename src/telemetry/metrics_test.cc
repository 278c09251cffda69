#include "telemetry/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace slipstream::telemetry {
namespace {

MetricsOptions two_workers() {
  MetricsOptions options;
  options.workers = 2;
  options.version = "1.2.3";
  options.label_values = {{LabelledCounter::kVerdicts, {"greedy", "sampled"}}};
  return options;
}

bool has_line(const std::string& page, const std::string& line) {
  return ("\n" + page).find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, SumsEqualLabelSetsOverWorkers) {
  Metrics metrics(two_workers());
  metrics.worker(0).series("chat", "m", "e1", "").add(Counter::kRequests);
  metrics.worker(1).series("chat", "m", "e1", "").add(Counter::kRequests, 4);
  metrics.worker(1).series("chat", "m", "e2", "").add(Counter::kRequests, 7);
  const std::string page = metrics.expose();
  EXPECT_TRUE(
      has_line(page, R"(slipstream_requests_total{route="chat",model="m",endpoint="e1"} 5)"))
      << page;
  EXPECT_TRUE(
      has_line(page, R"(slipstream_requests_total{route="chat",model="m",endpoint="e2"} 7)"));
  EXPECT_EQ(metrics.total(Counter::kRequests), 12U);
}

TEST(Metrics, EveryFamilyIsDeclaredOnceWithPrefixAndUnit) {
  Metrics metrics(two_workers());
  std::set<std::string> names;
  for (const auto& family : metrics.Collect()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    EXPECT_TRUE(family.name.starts_with("slipstream_")) << family.name;
    EXPECT_TRUE(family.help.ends_with('.')) << family.name;
    if (family.type == prometheus::MetricType::Counter) {
      EXPECT_TRUE(family.name.ends_with("_total")) << family.name;
    }
    if (family.type == prometheus::MetricType::Histogram) {
      EXPECT_TRUE(family.name.ends_with("_seconds")) << family.name;
    }
  }
  EXPECT_EQ(names.size(), kCounterCount + kLabelledCounterCount + kHistogramCount + 3);
}

TEST(Metrics, LabelledCountersUseTheRegisteredNames) {
  Metrics metrics(two_workers());
  Series& series = metrics.worker(0).series("chat", "", "", "");
  series.add(LabelledCounter::kVerdicts, 1, 3);
  series.add(LabelledCounter::kVerdicts, 5);
  const std::string page = metrics.expose();
  EXPECT_TRUE(has_line(page, R"(slipstream_verdicts_total{route="chat",reason="sampled"} 3)"))
      << page;
  EXPECT_TRUE(has_line(page, R"(slipstream_verdicts_total{route="chat",reason="5"} 1)"));
  EXPECT_EQ(page.find("greedy"), std::string::npos);
}

TEST(MetricsDeathTest, LabelValueOutOfRangeIsABug) {
  Metrics metrics(two_workers());
  Series& series = metrics.worker(0).series("chat", "", "", "");
  EXPECT_DEATH(series.add(LabelledCounter::kVerdicts, -1), "");
  EXPECT_DEATH(series.add(LabelledCounter::kVerdicts, static_cast<int>(kLabelValuesMax)), "");
}

TEST(Metrics, HistogramBucketsAreCumulativeAndInclusive) {
  Metrics metrics(two_workers());
  Series& series = metrics.worker(0).series("chat", "", "", "");
  for (const double seconds : {0.001, 0.0011, 600.0, 601.0, -1.0, std::nan("")}) {
    series.observe(Histogram::kRequest, seconds);
  }
  const std::string page = metrics.expose();
  const std::string bucket = R"(slipstream_request_seconds_bucket{route="chat",le=")";
  EXPECT_TRUE(has_line(page, bucket + R"(0.001"} 3)")) << page;
  EXPECT_TRUE(has_line(page, bucket + R"(0.002"} 4)"));
  EXPECT_TRUE(has_line(page, bucket + R"(600"} 5)"));
  EXPECT_TRUE(has_line(page, bucket + R"(+Inf"} 6)"));
  EXPECT_TRUE(has_line(page, R"(slipstream_request_seconds_count{route="chat"} 6)"));
  EXPECT_EQ(page.find("slipstream_first_token_seconds_count"), std::string::npos);
}

TEST(Metrics, GaugesAreReadAtTheScrape) {
  Metrics metrics(two_workers());
  double live = 1;
  metrics.add_gauge("slipstream_live_flights", "Flights now.", [&] { return live; });
  EXPECT_TRUE(has_line(metrics.expose(), "slipstream_live_flights 1"));
  live = 2;
  EXPECT_TRUE(has_line(metrics.expose(), "slipstream_live_flights 2"));
  EXPECT_TRUE(has_line(metrics.expose(), R"(slipstream_build_info{version="1.2.3"} 1)"));
}

TEST(Metrics, RatioIsFollowersAmongRequestsInFlights) {
  Metrics metrics(two_workers());
  EXPECT_TRUE(has_line(metrics.expose(), "slipstream_coalescing_ratio 0"));
  metrics.worker(0).series("a", "", "", "").add(Counter::kLeaders, 1);
  metrics.worker(1).series("b", "", "", "").add(Counter::kFollowers, 3);
  EXPECT_TRUE(has_line(metrics.expose(), "slipstream_coalescing_ratio 0.75"));
}

TEST(WorkerMetrics, ReferencesStayValidWhileTheTableGrows) {
  MetricsOptions options = two_workers();
  options.models_max = 1000;
  Metrics metrics(std::move(options));
  WorkerMetrics& worker = metrics.worker(0);
  std::vector<Series*> all;
  for (int i = 0; i < 500; ++i) {
    all.push_back(&worker.series("chat", "m" + std::to_string(i), "e", ""));
  }
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(&worker.series("chat", "m" + std::to_string(i), "e", ""),
              all[static_cast<std::size_t>(i)]);
  }
}

TEST(WorkerMetrics, ModelsBeyondTheLimitAreOtherOnEveryWorker) {
  MetricsOptions options = two_workers();
  options.models_max = 2;
  Metrics metrics(std::move(options));
  metrics.worker(0).series("chat", "a", "", "");
  metrics.worker(1).series("chat", "b", "", "");
  EXPECT_EQ(metrics.worker(0).series("chat", "c", "", "").labels().model, "other");
  EXPECT_EQ(&metrics.worker(0).series("chat", "d", "", ""),
            &metrics.worker(0).series("chat", "e", "", ""));
  EXPECT_EQ(metrics.worker(1).series("chat", "a", "", "").labels().model, "a");
  EXPECT_EQ(metrics.worker(0).series("chat", "", "", "").labels().model, "");
}

TEST(WorkerMetrics, TenantsAreLeftOutUnlessAskedFor) {
  Metrics without(two_workers());
  EXPECT_EQ(&without.worker(0).series("chat", "m", "", "t1"),
            &without.worker(0).series("chat", "m", "", "t2"));
  EXPECT_EQ(without.worker(0).series("chat", "m", "", "t1").labels().tenant, "");

  MetricsOptions options = two_workers();
  options.tenants_max = 1;
  Metrics with(std::move(options));
  EXPECT_EQ(with.worker(0).series("chat", "m", "", "t1").labels().tenant, "t1");
  EXPECT_EQ(with.worker(0).series("chat", "m", "", "t2").labels().tenant, "other");
}

TEST(WorkerMetrics, HostileModelNamesAreCutAndCleaned) {
  Metrics metrics(two_workers());
  WorkerMetrics& worker = metrics.worker(0);
  Series& series =
      worker.series("chat", std::string("a\n\"\0\x1b\xff", 6) + std::string(1000, 'x'), "", "");
  EXPECT_EQ(series.labels().model.size(), kLabelBytesMax);
  EXPECT_EQ(series.labels().model.substr(0, 7), "a_\"___x");
  series.add(Counter::kRequests);
  EXPECT_NE(metrics.expose().find(R"(model="a_\"___x)"), std::string::npos);
}

// Run under the thread sanitizer too: scrapes see growing series lists and counters.
TEST(Metrics, CountingAndScrapingAtOnceLosesNothing) {
  MetricsOptions options = two_workers();
  options.models_max = 8;
  Metrics metrics(std::move(options));
  constexpr int kRounds = 20000;
  std::vector<std::thread> workers;
  for (std::size_t w = 0; w < 2; ++w) {
    workers.emplace_back([&metrics, w] {
      for (int i = 0; i < kRounds; ++i) {
        Series& series =
            metrics.worker(w).series("chat", "model" + std::to_string(i % 12), "e", "t");
        series.add(Counter::kRequests);
        series.add(LabelledCounter::kVerdicts, i % 2);
        series.observe(Histogram::kRequest, 0.01);
      }
    });
  }
  std::uint64_t before = 0;
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(metrics.expose().empty());
    const std::uint64_t now = metrics.total(Counter::kRequests);
    EXPECT_GE(now, before);
    before = now;
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(metrics.total(Counter::kRequests), 2U * kRounds);
}

}  // namespace
}  // namespace slipstream::telemetry
