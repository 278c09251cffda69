// What sharing would save if sampled requests shared: which of them run at the same time and are
// equal in everything, and so run apart only because they are sampled.
//
// 64 shards by key, one lock when such a request begins and one when it ends. Bounded: what runs by
// the connections, what is remembered by kRememberedMax keys a shard.
// Thread rule: any thread. Lifetime: outlives every Stay.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "contract/contract.h"

namespace slipstream::gateway {

class SampledWatch {
 public:
  // One such request while it runs. Empty by default.
  class Stay {
   public:
    Stay() = default;
    Stay(Stay&& other) noexcept { *this = std::move(other); }
    Stay& operator=(Stay&& other) noexcept {
      std::swap(watch_, other.watch_);
      std::swap(key_, other.key_);
      std::swap(twin_, other.twin_);
      other.leave();
      return *this;
    }
    ~Stay() { leave(); }

    // An equal one was running when it began: with sharing, its call would not have been made.
    bool has_twin() const { return twin_; }

   private:
    friend class SampledWatch;
    void leave() {
      if (watch_) std::exchange(watch_, nullptr)->leave(key_);
    }
    SampledWatch* watch_ = nullptr;
    contract::Key key_;
    bool twin_ = false;
  };
  [[nodiscard]] Stay enter(const contract::Key& key);

  struct Row {
    contract::Key key;
    std::uint64_t saved = 0;  // at least
  };
  struct Totals {
    std::uint64_t calls = 0;
    std::uint64_t would_have_saved = 0;
    std::vector<Row> keys;  // most saved first
  };
  // Since the start; the `keys_max` keys of which most calls would have been saved.
  Totals totals(std::size_t keys_max) const;

 private:
  static constexpr std::size_t kShards = 64;
  static constexpr std::size_t kRememberedMax = 16;
  // Space-Saving (Metwally et al. 2005): a new key takes the least one's place and its count, which
  // becomes its possible error. What is saved often cannot be pushed out by what is saved once.
  struct Remembered {
    contract::Key key;
    std::uint64_t count = 0;
    std::uint64_t error = 0;
  };
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    boost::unordered_flat_map<contract::Key, std::uint32_t, contract::KeyHash> running;
    std::vector<Remembered> remembered;
    std::uint64_t calls = 0;
    std::uint64_t saved = 0;

    void remember(const contract::Key& key);
  };

  Shard& shard_of(const contract::Key& key) { return shards_[key.bytes[31] % kShards]; }
  void leave(const contract::Key& key);

  std::array<Shard, kShards> shards_;
};

}  // namespace slipstream::gateway
