#include "flight/replay_log.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/check.h"

namespace slipstream::flight {

// Header of a block; `capacity` bytes follow it in the same allocation.
struct Segment {
  ReplayBudget* budget;
  std::uint32_t capacity;
  std::atomic<std::uint32_t> references{1};
  std::atomic<std::uint32_t> released{0};
  std::atomic<Segment*> next{nullptr};

  char* data() { return reinterpret_cast<char*>(this + 1); }
};

namespace {

// A little below 1 KiB, where the allocator's per-thread cache ends.
constexpr std::uint32_t kFirstSegmentBytes = 1000 - sizeof(Segment);
constexpr std::uint32_t kSegmentBytesMax = 64 * 1024 - sizeof(Segment);
constexpr std::uint64_t kExactSegmentBytesMax = 16 * 1024 * 1024;

Segment* make_segment(ReplayBudget& budget, std::uint32_t capacity) {
  void* memory = std::malloc(sizeof(Segment) + capacity);
  if (!memory) throw std::bad_alloc();
  budget.add(sizeof(Segment) + capacity);
  return new (memory) Segment{&budget, capacity};
}

void hold(Segment* segment) {
  segment->references.fetch_add(1, std::memory_order_relaxed);
}

// Releases one reference; frees the chain from here as far as nobody else holds it.
void release(Segment* segment) {
  while (segment && segment->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Segment* next = segment->next.load(std::memory_order_relaxed);
    segment->budget->remove(sizeof(Segment) + segment->capacity);
    segment->~Segment();
    std::free(segment);
    segment = next;
  }
}

}  // namespace

Cursor& Cursor::operator=(Cursor&& other) noexcept {
  if (this != &other) {
    drop();
    segment_ = std::exchange(other.segment_, nullptr);
    offset_ = other.offset_;
    position_ = other.position_;
  }
  return *this;
}

void Cursor::drop() {
  release(std::exchange(segment_, nullptr));
}

std::size_t Cursor::peek(iovec* pieces, std::size_t pieces_max) const {
  std::size_t count = 0;
  std::uint32_t offset = offset_;
  for (Segment* at = segment_; at && count < pieces_max;) {
    // `next` before the length: a linked segment never grows any more.
    Segment* next = at->next.load(std::memory_order_acquire);
    const std::uint32_t length = at->released.load(std::memory_order_acquire);
    if (length > offset) pieces[count++] = iovec{at->data() + offset, length - offset};
    at = next;
    offset = 0;
  }
  return count;
}

void Cursor::advance(std::uint64_t bytes) {
  position_ += bytes;
  for (;;) {
    Segment* next = segment_->next.load(std::memory_order_acquire);
    const std::uint32_t length = segment_->released.load(std::memory_order_acquire);
    const std::uint32_t step =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, length - offset_));
    offset_ += step;
    bytes -= step;
    if (offset_ < length || !next) break;
    hold(next);
    release(std::exchange(segment_, next));
    offset_ = 0;
  }
  SLIP_CHECK(bytes == 0);
}

ReplayLog::ReplayLog(ReplayBudget& budget)
    : budget_(budget), head_(make_segment(budget, 0)), tail_(head_.load()) {
  hold(tail_);
}

ReplayLog::~ReplayLog() {
  release(head_.load(std::memory_order_relaxed));
  release(tail_);
}

Segment* ReplayLog::grow(std::uint64_t wanted, Fit fit) {
  // Doubling, so that a stream never holds more than twice its bytes; an answer of known length in
  // one piece gets exactly that.
  std::uint64_t capacity = std::clamp<std::uint64_t>(std::uint64_t{tail_->capacity} * 2,
                                                     kFirstSegmentBytes, kSegmentBytesMax);
  if (wanted > capacity || fit == Fit::kExact) capacity = std::min(wanted, kExactSegmentBytesMax);
  return make_segment(budget_, static_cast<std::uint32_t>(capacity));
}

void ReplayLog::append(std::string_view bytes, std::uint64_t size_hint) {
  const std::uint64_t expected = size_hint > appended() ? size_hint - appended() : 0;
  appended_.store(appended() + bytes.size(), std::memory_order_relaxed);
  while (!bytes.empty()) {
    const std::size_t step = std::min<std::size_t>(bytes.size(), tail_->capacity - tail_used_);
    std::memcpy(tail_->data() + tail_used_, bytes.data(), step);
    tail_used_ += static_cast<std::uint32_t>(step);
    bytes.remove_prefix(step);
    if (bytes.empty()) return;
    Segment* next = grow(std::max<std::uint64_t>(bytes.size(), expected),
                         expected >= bytes.size() ? Fit::kExact : Fit::kRoomy);
    hold(next);  // one for the link, one for tail_
    tail_->released.store(tail_used_, std::memory_order_release);
    tail_->next.store(next, std::memory_order_release);
    release(std::exchange(tail_, next));
    tail_used_ = 0;
  }
}

void ReplayLog::publish() {
  tail_->released.store(tail_used_, std::memory_order_release);
  published_.store(appended(), std::memory_order_release);
}

void ReplayLog::end(FlightEnding ending) {
  if (ended_.load(std::memory_order_relaxed)) return;
  publish();
  ending_ = ending;
  ended_.store(true, std::memory_order_release);
}

void ReplayLog::release_head() {
  release(head_.exchange(nullptr, std::memory_order_relaxed));
}

Cursor ReplayLog::attach() {
  Segment* const head = head_.load(std::memory_order_relaxed);
  SLIP_CHECK(head != nullptr);
  Cursor cursor;
  hold(head);
  cursor.segment_ = head;
  return cursor;
}

}  // namespace slipstream::flight
