#include "telemetry/metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "telemetry/page.h"

namespace slipstream::telemetry {

Metrics::Metrics(MetricsOptions options)
    : version_(std::move(options.version)),
      models_(options.models_max),
      tenants_(options.tenants_max) {
  for (LabelValues& values : options.label_values) {
    SLIP_CHECK(values.names.size() <= kLabelValuesMax);
    label_names_[static_cast<std::size_t>(values.counter)] = std::move(values.names);
  }
  for (std::size_t i = 0; i < options.workers; ++i) workers_.emplace_back(models_, tenants_);
}

WorkerMetrics& Metrics::worker(std::size_t index) {
  SLIP_CHECK(index < workers_.size());
  return workers_[index];
}

void Metrics::add_gauge(std::string name, std::string help, std::function<double()> read) {
  SLIP_CHECK(name.starts_with("slipstream_"));
  for (const Gauge& gauge : gauges_) SLIP_CHECK(gauge.name != name);
  gauges_.push_back({std::move(name), std::move(help), std::move(read)});
}

std::vector<prometheus::MetricFamily> Metrics::Collect() const {
  Page page;
  Distinct keys;
  for (const WorkerMetrics& worker : workers_) {
    keys.merge(worker.keys());
    worker.each([&](const Series& series) { page.add(series); });
  }
  auto families = page.families(label_names_);
  for (const Gauge& gauge : gauges_) {
    families.push_back(gauge_family(gauge.name, gauge.help, gauge.read()));
  }
  families.push_back(gauge_family("slipstream_unique_keys",
                                  "Different keys seen since the start, shared or not; an "
                                  "estimate (HyperLogLog, 1.6 %).",
                                  std::round(keys.estimate())));
  auto build = gauge_family("slipstream_build_info", "Always 1; the version is a label.", 1);
  build.metric.front().label.push_back({"version", version_});
  families.push_back(std::move(build));
  std::sort(families.begin(), families.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return families;
}

std::string Metrics::expose() const {
  return prometheus::TextSerializer().Serialize(Collect());
}

std::uint64_t Metrics::total(Counter counter) const {
  std::uint64_t sum = 0;
  for (const WorkerMetrics& worker : workers_) {
    worker.each([&](const Series& series) { sum += series.value(counter); });
  }
  return sum;
}

}  // namespace slipstream::telemetry
