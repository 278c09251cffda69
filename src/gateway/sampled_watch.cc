#include "gateway/sampled_watch.h"

#include <algorithm>
#include <functional>

namespace slipstream::gateway {

SampledWatch::Stay SampledWatch::enter(const contract::Key& key) {
  Stay stay;
  stay.watch_ = this;
  stay.key_ = key;
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  ++shard.calls;
  stay.twin_ = ++shard.running[key] > 1;
  if (stay.twin_) {
    ++shard.saved;
    shard.remember(key);
  }
  return stay;
}

void SampledWatch::leave(const contract::Key& key) {
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.running.find(key);
  if (--found->second == 0) shard.running.erase(found);
}

void SampledWatch::Shard::remember(const contract::Key& key) {
  auto at = std::ranges::find(remembered, key, &Remembered::key);
  if (at == remembered.end()) {
    if (remembered.size() < kRememberedMax) {
      remembered.push_back({key, 0, 0});
      at = remembered.end() - 1;
    } else {
      at = std::ranges::min_element(remembered, {}, &Remembered::count);
      *at = {key, at->count, at->count};
    }
  }
  ++at->count;
}

SampledWatch::Totals SampledWatch::totals(std::size_t keys_max) const {
  Totals totals;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    totals.calls += shard.calls;
    totals.would_have_saved += shard.saved;
    for (const Remembered& one : shard.remembered)
      totals.keys.push_back({one.key, one.count - one.error});
  }
  std::ranges::sort(totals.keys, std::greater(), &Row::saved);
  if (totals.keys.size() > keys_max) totals.keys.resize(keys_max);
  return totals;
}

}  // namespace slipstream::gateway
