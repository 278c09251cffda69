#include "telemetry/series.h"

#include <algorithm>

#include "base/check.h"

namespace slipstream::telemetry {
namespace {

constexpr Declaration kCounters[] = {
    {"slipstream_requests_total", "Requests from callers.", ""},
    {"slipstream_leaders_total", "Requests that opened a flight.", ""},
    {"slipstream_followers_total", "Requests that joined a live flight.", ""},
    {"slipstream_fallbacks_total", "Followers that made an own call after all.", ""},
    {"slipstream_upstream_calls_total", "Calls made to the upstream.", ""},
    {"slipstream_tokens_avoided_total", "Tokens that followers received without a generation.", ""},
    {"slipstream_bytes_avoided_total", "Bytes that followers received without a generation.", ""},
    {"slipstream_could_have_shared_total",
     "Requests kept apart only because they are sampled, while an equal one was in flight.", ""},
};
static_assert(std::size(kCounters) == kCounterCount);

constexpr Declaration kLabelledCounters[] = {
    {"slipstream_verdicts_total", "Sharing verdicts by reason.", "reason"},
    {"slipstream_retries_total", "Repeated upstream calls by cause.", "cause"},
    {"slipstream_upstream_failures_total", "Failed upstream calls by class.", "class"},
    {"slipstream_subscriber_endings_total", "How callers' answers ended.", "ending"},
    {"slipstream_flight_endings_total", "How flights ended.", "ending"},
    {"slipstream_refused_requests_total", "Requests refused before an upstream call, by reason.",
     "reason"},
    {"slipstream_epoch_changes_total",
     "How often the model behind the upstream changed, or may have, by cause.", "cause"},
};
static_assert(std::size(kLabelledCounters) == kLabelledCounterCount);

constexpr Declaration kHistograms[] = {
    {"slipstream_follower_wait_seconds", "From joining a flight to its first event.", ""},
    {"slipstream_first_token_seconds", "From a request's arrival to its first token.", ""},
    {"slipstream_upstream_connect_seconds", "Time to connect to the upstream.", ""},
    {"slipstream_upstream_first_event_seconds", "From sending a call to its first event.", ""},
    {"slipstream_request_seconds", "From a request's arrival to its ending.", ""},
};
static_assert(std::size(kHistograms) == kHistogramCount);

}  // namespace

const Declaration& declaration(Counter counter) {
  return kCounters[static_cast<std::size_t>(counter)];
}
const Declaration& declaration(LabelledCounter counter) {
  return kLabelledCounters[static_cast<std::size_t>(counter)];
}
const Declaration& declaration(Histogram histogram) {
  return kHistograms[static_cast<std::size_t>(histogram)];
}

void Series::add(LabelledCounter counter, int value, std::uint64_t n) {
  SLIP_CHECK(value >= 0 && static_cast<std::size_t>(value) < kLabelValuesMax);
  bump(labelled_[static_cast<std::size_t>(counter)][static_cast<std::size_t>(value)], n);
}

void Series::observe(Histogram histogram, double seconds) {
  if (!(seconds > 0)) seconds = 0;
  Distribution& distribution = histograms_[static_cast<std::size_t>(histogram)];
  const auto bound = std::lower_bound(kBucketBounds.begin(), kBucketBounds.end(), seconds);
  bump(distribution.buckets[static_cast<std::size_t>(bound - kBucketBounds.begin())], 1);
  auto& sum = distribution.sum_seconds;
  sum.store(sum.load(std::memory_order_relaxed) + seconds, std::memory_order_relaxed);
}

std::uint64_t Series::value(Counter counter) const {
  return counters_[static_cast<std::size_t>(counter)].load(std::memory_order_relaxed);
}
std::uint64_t Series::value(LabelledCounter counter, std::size_t value) const {
  return labelled_[static_cast<std::size_t>(counter)][value].load(std::memory_order_relaxed);
}
std::uint64_t Series::bucket(Histogram histogram, std::size_t index) const {
  return histograms_[static_cast<std::size_t>(histogram)].buckets[index].load(
      std::memory_order_relaxed);
}
double Series::sum_seconds(Histogram histogram) const {
  return histograms_[static_cast<std::size_t>(histogram)].sum_seconds.load(
      std::memory_order_relaxed);
}

}  // namespace slipstream::telemetry
