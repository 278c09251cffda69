// What the gateway counts, and the page that Prometheus reads.
//
// Every worker counts into series of its own, without locks; a scrape walks the series of all
// workers and sums equal label sets. Gauges are pulled at the scrape.
// Invariants: the number of label sets is bounded, whatever callers send (LabelLimit); a series
// lives as long as its Metrics.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "telemetry/distinct.h"
#include "telemetry/label_limit.h"
#include "telemetry/series.h"

namespace slipstream::telemetry {

// Series in order of creation. One thread appends, any thread walks while it does.
class SeriesList {
 public:
  Series& append(Labels labels);
  // Calls visit(const Series&) for each, newest first.
  template <typename Visit>
  void each(Visit&& visit) const {
    for (const Series* at = newest_.load(std::memory_order_acquire); at; at = at->next_) visit(*at);
  }

 private:
  std::deque<Series> storage_;  // touched by the appending thread only
  std::atomic<Series*> newest_{nullptr};
};

// Thread rule: series() belongs to one worker thread; each() is for any thread.
class WorkerMetrics {
 public:
  WorkerMetrics(LabelLimit& models, LabelLimit& tenants);
  WorkerMetrics(const WorkerMetrics&) = delete;
  WorkerMetrics& operator=(const WorkerMetrics&) = delete;

  // The counters of one label set; no allocation when it was asked for before. `route` and
  // `endpoint` come from configuration and are taken as they are; `model` and `tenant` come from
  // callers and pass the limits. The reference stays valid as long as the Metrics.
  Series& series(std::string_view route, std::string_view model, std::string_view endpoint,
                 std::string_view tenant);

  // A request had this key, whatever became of it. Precondition: `hash` is uniform.
  void note_key(std::uint64_t hash) { keys_.note(hash); }
  const Distinct& keys() const { return keys_; }  // any thread

  template <typename Visit>
  void each(Visit&& visit) const {
    list_.each(std::forward<Visit>(visit));
  }

 private:
  struct Slot {
    std::size_t hash = 0;
    Series* series = nullptr;
  };
  Slot& slot_of(std::size_t hash, std::string_view route, std::string_view model,
                std::string_view endpoint, std::string_view tenant);
  void grow();

  LabelLimit& models_;
  LabelLimit& tenants_;
  SeriesList list_;
  Distinct keys_;
  std::vector<Slot> slots_;  // open addressing, power of two, at most half full
  std::size_t used_ = 0;
};

// The names of a LabelledCounter's values, by index. Values without a name appear as their index.
struct LabelValues {
  LabelledCounter counter;
  std::vector<std::string> names;
};

struct MetricsOptions {
  std::size_t workers = 1;
  std::size_t models_max = 64;  // distinct model labels; the rest is "other"
  std::size_t tenants_max = 0;  // distinct tenant labels; 0 leaves the label out
  std::vector<LabelValues> label_values;
  std::string version = "unknown";  // for slipstream_build_info
};

// Thread rule: construction and add_gauge() happen before the workers start; worker(i) is for the
// i-th worker's thread; expose() is for any thread.
class Metrics final : public prometheus::Collectable {
 public:
  // Precondition: at most kLabelValuesMax names per counter (aborts otherwise).
  explicit Metrics(MetricsOptions options);
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Precondition: index < workers.
  WorkerMetrics& worker(std::size_t index);

  // `read` is called on the scraping thread, so it must only touch what any thread may read.
  // Precondition: `name` starts with "slipstream_" and is new (aborts otherwise).
  void add_gauge(std::string name, std::string help, std::function<double()> read);

  // The page in Prometheus text format 0.0.4: families by name, label sets in their order.
  std::string expose() const;
  std::vector<prometheus::MetricFamily> Collect() const override;

  // The total over all workers and label sets.
  std::uint64_t total(Counter counter) const;

 private:
  struct Gauge {
    std::string name;
    std::string help;
    std::function<double()> read;
  };

  const std::string version_;
  LabelLimit models_;
  LabelLimit tenants_;
  std::array<std::vector<std::string>, kLabelledCounterCount> label_names_;
  std::deque<WorkerMetrics> workers_;
  std::vector<Gauge> gauges_;
};

}  // namespace slipstream::telemetry
