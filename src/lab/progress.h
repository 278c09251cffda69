// How far a burst is, and the line that shows it. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

#include "base/clock.h"

namespace slipstream::lab {

struct BurstProgress {
  std::uint64_t done = 0;      // requests that ended
  std::uint64_t failed = 0;    // of them
  std::uint64_t expected = 0;  // 0 = limited by time only
  Duration elapsed{};
  Duration limit{};  // 0 = limited by number only
};
using ProgressFn = std::function<void(const BurstProgress&)>;

// "42%  2100 of 5000 requests, 1050 a second", without a line end.
std::string render_progress(const BurstProgress& progress);

// Writes progress to a terminal as one line that is updated, elsewhere as a line per second.
class ProgressLine {
 public:
  enum class Mode { kUpdating, kLines, kQuiet };
  // kUpdating if `file` is a terminal, else kLines.
  static Mode mode_for(std::FILE* file);

  // `file` is not owned.
  ProgressLine(std::FILE* file, Mode mode) : file_(file), mode_(mode) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const BurstProgress& progress);
  // Removes the updating line, before other text is written.
  void clear();

 private:
  std::FILE* file_;
  Mode mode_;
  Duration shown_at_{};
  bool dirty_ = false;
};

}  // namespace slipstream::lab
