#include "sim/sim_world.h"

#include <algorithm>
#include <cstdio>

namespace slipstream::sim {

namespace {
constexpr std::size_t kBatchMax = 4;
}

void SimLoop::post(net::Task task) {
  if (stopped_) return;
  world_.ready_.push_back({this, SimWorld::Kind::kPost, std::move(task)});
}

void SimLoop::run_deferred() {
  for (std::size_t i = 0; i < deferred_.size(); ++i) {
    const net::Task task = std::move(deferred_[i]);
    task();
  }
  deferred_.clear();
}

SimWorld::SimWorld(std::uint64_t seed, Trace trace)
    : random_(seed), trace_(trace), start_(Time{} + std::chrono::hours(1)), now_(start_) {}

SimWorld::~SimWorld() {
  clear();
  for (SimLoop* loop : loops_) delete loop;
}

void SimWorld::clear() {
  // What a task held may post again while it is destroyed: until nothing is left.
  while (!ready_.empty() || !later_.empty()) {
    const auto ready = std::move(ready_);
    const auto later = std::move(later_);
    ready_.clear();
    later_.clear();
  }
  for (SimLoop* loop : loops_) loop->run_deferred();
}

WallTime SimWorld::wall_now() const {
  return WallTime{} + std::chrono::duration_cast<WallTime::duration>(now_ - start_);
}

SimLoop& SimWorld::add_loop() {
  loops_.push_back(new SimLoop(*this, static_cast<int>(loops_.size())));
  loops_.back()->now_ = now_;
  return *loops_.back();
}

void SimWorld::ready(SimLoop& loop, net::Task task) {
  ready_.push_back({&loop, Kind::kSocket, std::move(task)});
}

void SimWorld::after(Duration delay, SimLoop& loop, net::Task task) {
  if (delay <= Duration::zero()) return ready(loop, std::move(task));
  later_.emplace(std::pair(now_ + delay, sequence_++),
                 Ready{&loop, Kind::kSocket, std::move(task)});
}

SimWorld::End SimWorld::run(std::uint64_t steps_max, Duration time_max) {
  while (steps_ < steps_max) {
    const bool timers = std::any_of(loops_.begin(), loops_.end(), [this](const SimLoop* loop) {
      return !loop->stopped_ && loop->timers_.next() <= now_;
    });
    if (ready_.empty() && !timers) {
      if (observer_) observer_();
      if (!advance(start_ + time_max))
        return now_ > start_ + time_max ? End::kTooLate : End::kQuiet;
      continue;
    }
    step();
  }
  return End::kTooManySteps;
}

// Jumps to the next moment at which something happens. False: there is none, or it is too late.
bool SimWorld::advance(Time limit) {
  Time next = later_.empty() ? kNever : later_.begin()->first.first;
  for (const SimLoop* loop : loops_) {
    if (!loop->stopped_) next = std::min(next, loop->timers_.next());
  }
  if (next == kNever) return false;
  now_ = std::max(now_, next);
  if (now_ > limit) return false;
  while (!later_.empty() && later_.begin()->first.first <= now_) {
    ready_.push_back(std::move(later_.begin()->second));
    later_.erase(later_.begin());
  }
  return true;
}

void SimWorld::step() {
  ++steps_;
  std::vector<SimLoop*> due;
  for (SimLoop* loop : loops_) {
    if (!loop->stopped_ && loop->timers_.next() <= now_) due.push_back(loop);
  }
  const std::size_t choice = static_cast<std::size_t>(below(ready_.size() + due.size()));
  if (choice < ready_.size()) return run_ready(choice);
  run_timers(*due[choice - ready_.size()]);
}

void SimWorld::run_timers(SimLoop& loop) {
  note("timers", static_cast<std::uint64_t>(loop.index()));
  loop.now_ = now_;
  loop.timers_.run(now_);
  loop.run_deferred();
}

SimWorld::Ready SimWorld::take(std::size_t index) {
  std::swap(ready_[index], ready_.back());
  Ready taken = std::move(ready_.back());
  ready_.pop_back();
  return taken;
}

void SimWorld::run_ready(std::size_t index) {
  Ready first = take(index);
  if (first.loop->stopped_) return;
  note(first.kind == Kind::kPost ? "post" : "event",
       static_cast<std::uint64_t>(first.loop->index()), ready_.size());
  first.loop->now_ = now_;
  first.task();
  // One batch of the reactor may hold several socket events; deferred work waits for its end.
  std::size_t batch = 1;
  while (first.kind == Kind::kSocket && batch < kBatchMax && chance(batch_percent_)) {
    const auto at = std::find_if(ready_.begin(), ready_.end(), [&](const Ready& other) {
      return other.loop == first.loop && other.kind == Kind::kSocket;
    });
    if (at == ready_.end()) break;
    Ready next = take(static_cast<std::size_t>(at - ready_.begin()));
    note("batched", static_cast<std::uint64_t>(first.loop->index()));
    next.task();
    ++batch;
  }
  first.loop->run_deferred();
}

void SimWorld::note(std::string_view what, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  note_bytes(what);
  for (const std::uint64_t value : {static_cast<std::uint64_t>(now_ms()), a, b, c}) {
    hash_ = (hash_ ^ value) * 0x100000001b3ULL;
    hash_ ^= hash_ >> 29;
  }
  if (!printing()) return;
  std::printf("%10.3f s  %-28.*s %llu %llu %llu\n", to_seconds(now_ - start_),
              static_cast<int>(what.size()), what.data(), static_cast<unsigned long long>(a),
              static_cast<unsigned long long>(b), static_cast<unsigned long long>(c));
}

void SimWorld::note_bytes(std::string_view bytes) {
  for (const char c : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
}

}  // namespace slipstream::sim
