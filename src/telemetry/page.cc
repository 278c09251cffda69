#include "telemetry/page.h"

#include <limits>

namespace slipstream::telemetry {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

std::vector<ClientMetric::Label> prometheus_labels(const Labels& labels) {
  std::vector<ClientMetric::Label> out;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) out.push_back({name, value});
  };
  add("route", labels.route);
  add("model", labels.model);
  add("endpoint", labels.endpoint);
  add("tenant", labels.tenant);
  return out;
}

MetricFamily family_of(const Declaration& declared, MetricType type) {
  return {declared.name, declared.help, type, {}};
}

ClientMetric counter_metric(const Labels& labels, std::uint64_t value) {
  ClientMetric metric;
  metric.label = prometheus_labels(labels);
  metric.counter.value = static_cast<double>(value);
  return metric;
}

}  // namespace

void Page::add(const Series& series) {
  Sums& sums = sums_[series.labels()];
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    sums.counters[i] += series.value(static_cast<Counter>(i));
  }
  for (std::size_t i = 0; i < kLabelledCounterCount; ++i) {
    for (std::size_t v = 0; v < kLabelValuesMax; ++v) {
      sums.labelled[i][v] += series.value(static_cast<LabelledCounter>(i), v);
    }
  }
  for (std::size_t i = 0; i < kHistogramCount; ++i) {
    const auto histogram = static_cast<Histogram>(i);
    for (std::size_t b = 0; b < kBucketCount; ++b) {
      sums.histograms[i].buckets[b] += series.bucket(histogram, b);
    }
    sums.histograms[i].sum_seconds += series.sum_seconds(histogram);
  }
}

std::vector<MetricFamily> Page::families(
    const std::array<std::vector<std::string>, kLabelledCounterCount>& names) const {
  std::vector<MetricFamily> out;
  for (std::size_t i = 0; i < kCounterCount; ++i) out.push_back(counter_family(i));
  for (std::size_t i = 0; i < kLabelledCounterCount; ++i) {
    out.push_back(labelled_family(i, names[i]));
  }
  for (std::size_t i = 0; i < kHistogramCount; ++i) out.push_back(histogram_family(i));
  out.push_back(ratio_family());
  return out;
}

MetricFamily Page::counter_family(std::size_t index) const {
  MetricFamily family = family_of(declaration(static_cast<Counter>(index)), MetricType::Counter);
  for (const auto& [labels, sums] : sums_) {
    family.metric.push_back(counter_metric(labels, sums.counters[index]));
  }
  return family;
}

// Values that never happened are left out: models times reasons would be a long page of zeros.
MetricFamily Page::labelled_family(std::size_t index, const std::vector<std::string>& names) const {
  const Declaration& declared = declaration(static_cast<LabelledCounter>(index));
  MetricFamily family = family_of(declared, MetricType::Counter);
  for (const auto& [labels, sums] : sums_) {
    for (std::size_t v = 0; v < kLabelValuesMax; ++v) {
      if (sums.labelled[index][v] == 0) continue;
      ClientMetric metric = counter_metric(labels, sums.labelled[index][v]);
      metric.label.push_back({declared.label, v < names.size() ? names[v] : std::to_string(v)});
      family.metric.push_back(std::move(metric));
    }
  }
  return family;
}

MetricFamily Page::histogram_family(std::size_t index) const {
  MetricFamily family =
      family_of(declaration(static_cast<Histogram>(index)), MetricType::Histogram);
  for (const auto& [labels, sums] : sums_) {
    ClientMetric metric;
    metric.label = prometheus_labels(labels);
    std::uint64_t count = 0;
    for (std::size_t b = 0; b < kBucketCount; ++b) {
      count += sums.histograms[index].buckets[b];
      const double bound =
          b < kBucketBounds.size() ? kBucketBounds[b] : std::numeric_limits<double>::infinity();
      metric.histogram.bucket.push_back({count, bound});
    }
    if (count == 0) continue;
    metric.histogram.sample_count = count;
    metric.histogram.sample_sum = sums.histograms[index].sum_seconds;
    family.metric.push_back(std::move(metric));
  }
  return family;
}

MetricFamily Page::ratio_family() const {
  std::uint64_t leaders = 0;
  std::uint64_t followers = 0;
  for (const auto& [labels, sums] : sums_) {
    leaders += sums.counters[static_cast<std::size_t>(Counter::kLeaders)];
    followers += sums.counters[static_cast<std::size_t>(Counter::kFollowers)];
  }
  const std::uint64_t all = leaders + followers;
  return gauge_family("slipstream_coalescing_ratio",
                      "Share of the requests in flights that were followers, since the start.",
                      all == 0 ? 0 : static_cast<double>(followers) / static_cast<double>(all));
}

MetricFamily gauge_family(std::string name, std::string help, double value) {
  ClientMetric metric;
  metric.gauge.value = value;
  return {std::move(name), std::move(help), MetricType::Gauge, {std::move(metric)}};
}

}  // namespace slipstream::telemetry
