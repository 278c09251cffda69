// The epoch that the gateway is in: which model answers, as far as anybody can tell.
//
// It is part of every key, so no request joins a flight of another epoch. Whoever learns of a
// change sets it; each worker keeps a copy and compares versions, one load per request. The order
// is what counts: a change is set before anybody can be told of it, so whoever was told sees it.
// Thread rule: any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/profile.h"

namespace slipstream::gateway {

// Metric label of epoch_changes_total. Closed set.
enum class EpochCause {
  kFirstProbe,  // before it, nobody knew
  kObserved,    // the server tells something else than before
  kDate,        // a new UTC day, where prompts may contain the date
  kAdmin        // a request that changes the model began or ended
};
inline constexpr std::array<std::string_view, 4> kEpochCauseNames = {"first_probe", "observed",
                                                                     "date", "admin"};
constexpr std::string_view to_string(EpochCause cause) {
  return kEpochCauseNames[static_cast<std::size_t>(cause)];
}

class Epoch {
 public:
  struct Value {
    std::string text;  // short: shown on pages
    Profile profile = Profile::kGeneric;
    std::uint64_t version = 0;
  };

  Epoch(std::string identity, Profile profile);

  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  Value value() const;

  enum class Effect { kChanged, kSame };
  Effect set_identity(std::string identity, Profile profile);
  // The model changes in a way that need not be visible. Never goes back.
  void next_generation();

 private:
  mutable std::mutex mutex_;
  std::string identity_;
  Profile profile_;
  std::uint64_t generation_ = 0;
  std::atomic<std::uint64_t> version_{1};  // written under the mutex
};

}  // namespace slipstream::gateway
