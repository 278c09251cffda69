#include "gateway/epoch.h"

#include "base/text.h"

namespace slipstream::gateway {

Epoch::Epoch(std::string identity, Profile profile)
    : identity_(std::move(identity)), profile_(profile) {}

Epoch::Value Epoch::value() const {
  const std::lock_guard lock(mutex_);
  Value value{identity_, profile_, version_.load(std::memory_order_relaxed)};
  if (generation_ > 0) {
    value.text += '+';
    append_decimal(value.text, generation_);
  }
  return value;
}

Epoch::Effect Epoch::set_identity(std::string identity, Profile profile) {
  const std::lock_guard lock(mutex_);
  if (identity == identity_ && profile == profile_) return Effect::kSame;
  identity_ = std::move(identity);
  profile_ = profile;
  version_.fetch_add(1, std::memory_order_release);
  return Effect::kChanged;
}

void Epoch::next_generation() {
  const std::lock_guard lock(mutex_);
  ++generation_;
  version_.fetch_add(1, std::memory_order_release);
}

}  // namespace slipstream::gateway
