// The closed sets of what is counted, and the counters of one label set.
//
// Thread rule: a Series is written by one thread, the worker that owns it, and read by any thread.
// That is why an increment is a plain load, add and store (about 1 ns) and needs no locked
// instruction; a second writer would lose counts.
// Invariant: values only grow.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace slipstream::telemetry {

enum class Counter {
  kRequests,
  kLeaders,
  kFollowers,
  kFallbacks,
  kUpstreamCalls,
  kTokensAvoided,
  kBytesAvoided,
  kCouldHaveShared,
};
inline constexpr std::size_t kCounterCount =
    static_cast<std::size_t>(Counter::kCouldHaveShared) + 1;

// Counters with one more label, whose values are a closed list (an enum of another folder). The
// lists are given to Metrics at start-up; a value is counted by its index.
enum class LabelledCounter {
  kVerdicts,           // reason
  kRetries,            // cause
  kUpstreamFailures,   // class
  kSubscriberEndings,  // ending
  kFlightEndings,      // ending
  kRefusedRequests,    // reason
  kEpochChanges,       // cause
};
inline constexpr std::size_t kLabelledCounterCount =
    static_cast<std::size_t>(LabelledCounter::kEpochChanges) + 1;
inline constexpr std::size_t kLabelValuesMax = 32;

enum class Histogram {
  kFollowerWait,
  kFirstToken,
  kUpstreamConnect,
  kUpstreamFirstEvent,
  kRequest,
};
inline constexpr std::size_t kHistogramCount = static_cast<std::size_t>(Histogram::kRequest) + 1;

// Upper bounds in seconds, inclusive; one more bucket stands for everything above.
inline constexpr std::array kBucketBounds = {0.001, 0.002, 0.005, 0.01,  0.02, 0.05, 0.1,
                                             0.2,   0.5,   1.0,   2.0,   5.0,  10.0, 20.0,
                                             30.0,  60.0,  120.0, 300.0, 600.0};
inline constexpr std::size_t kBucketCount = kBucketBounds.size() + 1;

// The declaration table. `label` is empty for plain counters and histograms.
struct Declaration {
  const char* name;
  const char* help;
  const char* label;
};
const Declaration& declaration(Counter counter);
const Declaration& declaration(LabelledCounter counter);
const Declaration& declaration(Histogram histogram);

// An empty value means that the label is left out.
struct Labels {
  std::string route;
  std::string model;
  std::string endpoint;
  std::string tenant;
  auto operator<=>(const Labels&) const = default;
};

class Series {
 public:
  explicit Series(Labels labels) : labels_(std::move(labels)) {}
  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;

  void add(Counter counter, std::uint64_t n = 1) {
    bump(counters_[static_cast<std::size_t>(counter)], n);
  }
  // Precondition: 0 <= value < kLabelValuesMax (aborts otherwise).
  void add(LabelledCounter counter, int value, std::uint64_t n = 1);
  // Negative and not-a-number count as zero.
  void observe(Histogram histogram, double seconds);

  const Labels& labels() const { return labels_; }
  std::uint64_t value(Counter counter) const;
  std::uint64_t value(LabelledCounter counter, std::size_t value) const;
  std::uint64_t bucket(Histogram histogram, std::size_t index) const;  // not cumulative
  double sum_seconds(Histogram histogram) const;

 private:
  friend class SeriesList;
  using Cell = std::atomic<std::uint64_t>;
  static void bump(Cell& cell, std::uint64_t n) {
    cell.store(cell.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  struct Distribution {
    std::array<Cell, kBucketCount> buckets{};
    std::atomic<double> sum_seconds{0};
  };

  const Labels labels_;
  std::array<Cell, kCounterCount> counters_{};
  std::array<std::array<Cell, kLabelValuesMax>, kLabelledCounterCount> labelled_{};
  std::array<Distribution, kHistogramCount> histograms_{};
  Series* next_ = nullptr;  // set once, before the series is published
};

}  // namespace slipstream::telemetry
