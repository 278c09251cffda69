// Time, as a dependency.
//
// Nothing outside base/ reads a clock: time comes in by constructor, so that the simulation can own
// it. Thread rule: implementations must allow concurrent now() and wall_now().
#pragma once

#include <chrono>

namespace slipstream {

// Monotonic time. Durations are nanoseconds; names carry their unit where a raw number is used.
using Time = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;
// Calendar time, only for log lines and HTTP dates.
using WallTime = std::chrono::system_clock::time_point;

using std::chrono::milliseconds;
using std::chrono::seconds;

inline constexpr Time kNever = Time::max();

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
  virtual WallTime wall_now() const = 0;
};

// The machine's clocks.
class SystemClock final : public Clock {
 public:
  Time now() const override;
  WallTime wall_now() const override;
};

// A clock that moves only when told, for tests. Starts above zero so that "0 means unset" bugs
// show.
class ManualClock final : public Clock {
 public:
  Time now() const override { return now_; }
  WallTime wall_now() const override {
    return WallTime{} + std::chrono::duration_cast<WallTime::duration>(now_.time_since_epoch());
  }
  void advance(Duration by) { now_ += by; }
  void set(Time to) { now_ = to; }

 private:
  Time now_ = Time{} + std::chrono::hours(1);
};

inline long long to_ms(Duration d) {
  return std::chrono::duration_cast<milliseconds>(d).count();
}
inline long long to_us(Duration d) {
  return std::chrono::duration_cast<std::chrono::microseconds>(d).count();
}
inline double to_seconds(Duration d) {
  return std::chrono::duration<double>(d).count();
}

}  // namespace slipstream
