#include "net/timer_heap.h"

#include <algorithm>

namespace slipstream::net {

void Timer::set(Time at) {
  deadline_ = at;
  if (at < scheduled_) loop_.timers().update(this);
}

void Timer::cancel() {
  deadline_ = kNever;
  if (heap_index_ != kNotQueued) loop_.timers().remove(this);
}

std::size_t TimerHeap::run(Time now) {
  std::size_t called = 0;
  earliest_ = now + Duration(1);
  while (!heap_.empty() && heap_.front()->scheduled_ <= now) {
    Timer* timer = heap_.front();
    remove(timer);
    if (timer->deadline_ > now) {
      if (timer->deadline_ != kNever) update(timer);
      continue;
    }
    timer->deadline_ = kNever;
    ++called;
    timer->on_expired_();
  }
  earliest_ = Time::min();
  return called;
}

void TimerHeap::update(Timer* timer) {
  const Time before = next();
  timer->scheduled_ = std::max(timer->deadline_, earliest_);
  if (timer->heap_index_ == Timer::kNotQueued) {
    heap_.push_back(timer);
    timer->heap_index_ = heap_.size() - 1;
  }
  sift_up(timer->heap_index_);
  if (on_earlier_ && next() < before) on_earlier_();
}

void TimerHeap::remove(Timer* timer) {
  const std::size_t index = timer->heap_index_;
  timer->heap_index_ = Timer::kNotQueued;
  timer->scheduled_ = kNever;
  Timer* last = heap_.back();
  heap_.pop_back();
  if (last == timer) return;
  place(index, last);
  sift_up(index);
  sift_down(last->heap_index_);
}

void TimerHeap::place(std::size_t index, Timer* timer) {
  heap_[index] = timer;
  timer->heap_index_ = index;
}

void TimerHeap::sift_up(std::size_t index) {
  Timer* timer = heap_[index];
  while (index > 0) {
    const std::size_t parent = (index - 1) / 2;
    if (heap_[parent]->scheduled_ <= timer->scheduled_) break;
    place(index, heap_[parent]);
    index = parent;
  }
  place(index, timer);
}

void TimerHeap::sift_down(std::size_t index) {
  Timer* timer = heap_[index];
  for (;;) {
    std::size_t child = 2 * index + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->scheduled_ < heap_[child]->scheduled_)
      ++child;
    if (timer->scheduled_ <= heap_[child]->scheduled_) break;
    place(index, heap_[child]);
    index = child;
  }
  place(index, timer);
}

}  // namespace slipstream::net
