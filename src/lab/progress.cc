#include "lab/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace slipstream::lab {

namespace {

double share(double part, double whole) {
  return whole > 0 ? std::min(part / whole, 1.0) : 0.0;
}

}  // namespace

std::string render_progress(const BurstProgress& progress) {
  const auto done = static_cast<double>(progress.done);
  const double elapsed = to_seconds(progress.elapsed);
  const double fraction = std::max(share(done, static_cast<double>(progress.expected)),
                                   share(elapsed, to_seconds(progress.limit)));
  std::string out = fmt::format("{:3.0f}%  {}", fraction * 100, progress.done);
  if (progress.expected) out += fmt::format(" of {}", progress.expected);
  out += fmt::format(" requests, {:.0f} a second", elapsed > 0 ? done / elapsed : 0.0);
  if (progress.failed) out += fmt::format(", {} FAILED", progress.failed);
  return out;
}

ProgressLine::Mode ProgressLine::mode_for(std::FILE* file) {
  return isatty(fileno(file)) ? Mode::kUpdating : Mode::kLines;
}

void ProgressLine::show(const BurstProgress& progress) {
  if (mode_ == Mode::kQuiet) return;
  if (mode_ == Mode::kLines) {
    if (progress.elapsed - shown_at_ < seconds(1)) return;
    shown_at_ = progress.elapsed;
    fmt::print(file_, "{}\n", render_progress(progress));
  } else {
    fmt::print(file_, "\r{}\x1b[K", render_progress(progress));  // erases to the end of the line
    dirty_ = true;
  }
  std::fflush(file_);
}

void ProgressLine::clear() {
  if (!dirty_) return;
  fmt::print(file_, "\r\x1b[K");
  std::fflush(file_);
  dirty_ = false;
}

}  // namespace slipstream::lab
