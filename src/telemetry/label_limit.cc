#include "telemetry/label_limit.h"

#include <algorithm>

namespace slipstream::telemetry {

CleanLabel::CleanLabel(std::string_view raw) : size_(std::min(raw.size(), kLabelBytesMax)) {
  std::transform(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(size_), bytes_.begin(),
                 [](char c) { return c >= 0x20 && c < 0x7f ? c : '_'; });
}

bool LabelLimit::admit(std::string_view name) {
  if (name.empty()) return true;
  if (full_.load(std::memory_order_acquire)) return names_.find(name) != names_.end();
  const std::lock_guard lock(mutex_);
  if (names_.find(name) != names_.end()) return true;
  if (names_.size() == max_) return false;  // another thread took the last place meanwhile
  names_.emplace(name);
  if (names_.size() == max_) full_.store(true, std::memory_order_release);
  return true;
}

}  // namespace slipstream::telemetry
