// One scrape: the sums over all workers, and the metric families made of them.
//
// Thread rule: a value of the scraping thread. Series may grow while they are read, so the figures
// of one page are each correct at some moment of the scrape, not all at the same one.
#pragma once

#include <prometheus/metric_family.h>

#include <map>
#include <string>
#include <vector>

#include "telemetry/metrics.h"

namespace slipstream::telemetry {

class Page {
 public:
  void add(const Series& series);
  // `names`: of a labelled counter's values, by index.
  std::vector<prometheus::MetricFamily> families(
      const std::array<std::vector<std::string>, kLabelledCounterCount>& names) const;

 private:
  struct Distribution {
    std::array<std::uint64_t, kBucketCount> buckets{};
    double sum_seconds = 0;
  };
  struct Sums {
    std::array<std::uint64_t, kCounterCount> counters{};
    std::array<std::array<std::uint64_t, kLabelValuesMax>, kLabelledCounterCount> labelled{};
    std::array<Distribution, kHistogramCount> histograms{};
  };

  prometheus::MetricFamily counter_family(std::size_t index) const;
  prometheus::MetricFamily labelled_family(std::size_t index,
                                           const std::vector<std::string>& names) const;
  prometheus::MetricFamily histogram_family(std::size_t index) const;
  prometheus::MetricFamily ratio_family() const;

  std::map<Labels, Sums> sums_;
};

prometheus::MetricFamily gauge_family(std::string name, std::string help, double value);

}  // namespace slipstream::telemetry
