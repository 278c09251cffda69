// The publishing half of LiveFlight: batches, the commit point, what the log shows, and the pace.
#include <algorithm>

#include "gateway/live_flight.h"
#include "gateway/shared.h"
#include "gateway/worker.h"
#include "http/write.h"

namespace slipstream::gateway {

using flight::AnswerHead;
using flight::Core;
using telemetry::Histogram;

namespace {
// A pass over all subscribers that takes this long makes events wait for each other, up to the
// window.
constexpr milliseconds kBusyPass{6};
constexpr milliseconds kBusyWindowMax{30};
}  // namespace

void LiveFlight::on_batch() {
  if (over_) return;
  if (!committed_) return note_head();
  const Duration window =
      std::max<Duration>(worker_.shared().settings.replay.flush_window, busy_window_);
  // Merging is for events; bytes that pile up meanwhile must not hide from the pace.
  const std::uint64_t waiting = collected_.size() + log().appended() - log().published();
  const bool may_wait = mode_ == Order::Answer::kStream &&
                        waiting < worker_.shared().settings.replay.lag_bytes_max / 8;
  if (may_wait && window > Duration::zero() && last_flush_ != Time::min() &&
      worker_.now() - last_flush_ < window) {
    flush_at_ = last_flush_ + window;
    return set_timer(flush_at_);
  }
  flush();
}

void LiveFlight::flush() {
  flush_at_ = kNever;
  append_events();
  if (log().appended() == log().published() && head_told_) return;
  head_told_ = true;
  last_flush_ = worker_.now();
  mutable_log().publish();
  settle_memory();
  const flight::FlightRef keep(this);
  worker_.hall().announce(*this);
  if (over_) return;
  settle_pace();
  arm_deadline();
}

void LiveFlight::append_events() {
  if (mode_ != Order::Answer::kStream) return;
  append_framed(collected_);
  collected_.clear();
  tokens_seen_.store(judge_.semantic_events(), std::memory_order_relaxed);
}

// Writing to so many callers takes longer than events are apart: merging them on purpose costs each
// a little time and saves most of the writes, which are what everything here costs.
void LiveFlight::on_home_pass_done() {
  if (last_flush_ == Time::min()) return;  // ended before anything was published
  const Duration took = worker_.now() - last_flush_;
  busy_window_ =
      took < kBusyPass ? Duration::zero() : std::min<Duration>(took * 5 / 2, kBusyWindowMax);
}

void LiveFlight::append_framed(std::string_view bytes) {
  if (bytes.empty()) return;
  if (head().body != AnswerHead::Body::kChunked) return mutable_log().append(bytes);
  std::string chunk_head;
  http::append_chunk_head(chunk_head, bytes.size());
  mutable_log().append(chunk_head);
  mutable_log().append(bytes);
  mutable_log().append(http::kChunkTail);
}

void LiveFlight::commit(AnswerHead::Body body, std::uint64_t length) {
  worker_.shared().table.change(*this, [](Core& core) {
    core.commit();
    return 0;
  });
  show(body, length);
}

void LiveFlight::show(AnswerHead::Body body, std::uint64_t length) {
  committed_ = true;
  first_published_at_ = worker_.now();
  series_->observe(Histogram::kUpstreamFirstEvent, to_seconds(first_published_at_ - sent_at_));
  mutable_head().body = body;
  mutable_head().content_length = length;
  // Nothing is sent again from here on.
  worker_.give_buffer(std::move(order_.head));
  if (order_.body_kind == upstream::Call::Body::kWhole && attempt_ &&
      attempt_->upload_backlog() == 0) {
    worker_.give_buffer(std::move(order_.body));
  }
  freeze_head();
  if (mode_ == Order::Answer::kStream) return;
  if (body == AnswerHead::Body::kLength && !collected_.empty()) {
    mutable_log().append(collected_, collected_.size());
  } else {
    append_framed(collected_);
  }
  worker_.give_buffer(std::move(collected_));
}

void LiveFlight::settle_memory() {
  const bool too_large = log().appended() > worker_.shared().settings.replay.flight_bytes_max;
  if (log().head_released() || !(too_large || worker_.shared().replay_budget.exhausted())) return;
  worker_.shared().table.close_to_joiners(*this);
}

void LiveFlight::settle_pace() {
  if (!attempt_) return;
  const std::uint64_t lead = log().published() - std::min(log().published(), fastest_position());
  const std::uint64_t limit = worker_.shared().settings.replay.lag_bytes_max / 4;
  if (!paused() && lead > limit) {
    set_paused(true);
    attempt_->pause();
    // A reader may have caught up between the look and the flag: look again.
    if (log().published() - std::min(log().published(), fastest_position()) > limit)
      return arm_deadline();
  }
  if (paused() && log().published() - std::min(log().published(), fastest_position()) <= limit) {
    set_paused(false);
    last_event_at_ = worker_.now();  // what it sent meanwhile was not looked at
    attempt_->resume();
    arm_deadline();
  }
}

}  // namespace slipstream::gateway
