// Which caller-supplied names may become metric labels: the first `max` distinct ones.
//
// Names come from hostile callers: they are cut at 64 bytes, bytes outside printable ASCII become
// '_', and whatever comes after the limit is "other".
// Thread rule: admit() is for any thread. Only the decision about a name not seen before takes a
// lock; once the limit is reached the set never changes and is read without one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace slipstream::telemetry {

inline constexpr std::size_t kLabelBytesMax = 64;
inline constexpr std::string_view kOtherLabel = "other";

// A name made fit for a label, without allocation.
class CleanLabel {
 public:
  explicit CleanLabel(std::string_view raw);
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, kLabelBytesMax> bytes_;
  std::size_t size_;
};

class LabelLimit {
 public:
  // max 0: the label is not used at all.
  explicit LabelLimit(std::size_t max) : max_(max), full_(max == 0) {}

  bool used() const { return max_ > 0; }
  // Precondition: `name` is clean. True: it is, or has now become, one of the admitted names.
  // The empty name is always admitted and takes no place.
  bool admit(std::string_view name);

 private:
  const std::size_t max_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> names_;  // guarded by mutex_ until full_, then constant
  std::atomic<bool> full_;
};

}  // namespace slipstream::telemetry
