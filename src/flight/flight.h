// One shared unit of work: core state, replay log, the answer's head, and who wants to be woken.
//
// The upstream call belongs to the flight, never to a caller; the leader is only the first
// subscriber. What makes the call is a subclass on the home worker (gateway/); this class knows no
// I/O.
//
// Thread rules, by member:
//   constant after construction   key, canonical, id, home
//   home worker only              writing the log and the head, attempt, home room
//   under the table shard's lock  core, attaching to and releasing the log's head
//   any thread                    reading the log, head() once bytes were published or it ended;
//                                 interests and pending wake-ups (atomic masks, a bit per worker)
// Lifetime: reference counted; the table, every subscriber, every posted wake-up and a running
// attempt hold one reference each.
#pragma once

#include <array>
#include <atomic>
#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstdint>
#include <string>
#include <utility>

#include "base/clock.h"
#include "flight/core.h"
#include "flight/replay_log.h"

namespace slipstream::flight {

using Digest = std::array<std::uint8_t, 32>;
using WorkerIndex = std::uint32_t;
inline constexpr WorkerIndex kWorkersMax = 64;

// The head of an answer, frozen at the commit point. Each subscriber builds its own response head
// of it.
struct AnswerHead {
  enum class Body { kNone, kLength, kChunked, kUntilClose };
  // Of what the body consists: one thing, events (text/event-stream) or lines (NDJSON).
  enum class Form { kPlain, kEvents, kLines };

  int status = 0;
  std::string shared_fields;  // "name: value\r\n" lines that every subscriber may see
  std::string
      leader_fields;  // lines that belong to the leader's own call: cookies, rate limits ...
  Body body = Body::kNone;
  std::uint64_t content_length = 0;  // with kLength
  Form form = Form::kPlain;
  // For failures: when callers' libraries may try again (0 = not said), and whether they had better
  // not.
  std::uint64_t retry_after_ms = 0;
  bool retry_discouraged = false;
};

class Flight;
using FlightRef = boost::intrusive_ptr<Flight>;

// One caller reading a flight. Lives on its own worker.
class Subscriber : public boost::intrusive::list_base_hook<> {
 public:
  // New bytes were published or the log ended: write what can be written from the cursor.
  // May leave the flight from inside.
  virtual void on_progress() = 0;

 protected:
  ~Subscriber() = default;

 private:
  friend class Hall;
  std::uint64_t seat_ = 0;  // room bookkeeping: zero when in no room
};

// How to reach a worker from another thread.
class WakePort {
 public:
  // Makes the worker call Hall::attend(flight) soon. Any thread; a flight's home may be woken too.
  virtual void wake(FlightRef flight) = 0;

 protected:
  ~WakePort() = default;
};

// Subscribers of one flight on one worker, in join order.
struct Room {
  boost::intrusive::list<Subscriber, boost::intrusive::constant_time_size<true>> subscribers;
  Subscriber* next = nullptr;  // where the running slice goes on; null = no pass is running
  std::uint64_t heard = 0;     // announcements made when the last pass began
};

class Flight {
 public:
  struct Setup {
    Digest key{};
    std::string canonical;  // compared on every join; empty for a flight outside the table
    std::string id;
    std::string_view reason;  // why it is shared, for pages; a literal
    WorkerIndex home = 0;
    Time opened_at{};
  };
  // `budget` is charged with the log's segments and the canonical bytes.
  Flight(Setup setup, ReplayBudget& budget, WakePort* const* ports)
      : setup_(std::move(setup)),
        core_(setup_.opened_at),
        budget_(budget),
        log_(budget),
        ports_(ports) {
    budget_.add(setup_.canonical.size());
  }
  virtual ~Flight() { budget_.remove(setup_.canonical.size()); }
  // No reference but the caller's exists, so none can come.
  bool held_once() const { return references_.load(std::memory_order_acquire) == 1; }
  // The bytes for whoever can use their memory. Precondition: held_once().
  std::string take_canonical() {
    budget_.remove(setup_.canonical.size());
    return std::exchange(setup_.canonical, std::string());
  }
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  const Digest& key() const { return setup_.key; }
  const std::string& canonical() const { return setup_.canonical; }
  const std::string& id() const { return setup_.id; }
  std::string_view reason() const { return setup_.reason; }
  WorkerIndex home() const { return setup_.home; }
  Time opened_at() const { return setup_.opened_at; }
  // In the table or was: other workers may hold it. Set by FlightTable::enter().
  bool shared() const { return shared_; }

  const ReplayLog& log() const { return log_; }
  // The head is frozen: subscribers may answer with it. Implied by published bytes or an ended log.
  bool head_ready() const { return head_ready_.load(std::memory_order_acquire); }
  // Precondition: head_ready(), seen by this thread.
  const AnswerHead& head() const { return head_; }

  // Called on the home worker after a wake-up: subscribers came, left or caught up.
  virtual void on_home_wake() = 0;
  // Called on the home worker when every subscriber there had its turn since the last announcement.
  virtual void on_home_pass_done() {}

  // Wakes `worker` unless a wake-up is on its way already. Any thread.
  void wake(WorkerIndex worker);
  // After publish(): wakes every other worker that has subscribers. Home worker only.
  void wake_others();

  // The fastest subscriber's position: what the upstream read is paced by. Monotone; one that left
  // still counts, which errs towards reading on. To resume without losing a wake-up a subscriber
  // notes its position before it looks at paused(), the home worker pauses before it looks at the
  // position; all four are sequentially consistent.
  void note_position(std::uint64_t position);
  // A subscriber that may have been the fastest left: everybody says anew where they are.
  void forget_positions();
  std::uint64_t fastest_position() const { return fastest_.load(std::memory_order_seq_cst); }
  void set_paused(bool paused) { paused_.store(paused, std::memory_order_seq_cst); }
  bool paused() const { return paused_.load(std::memory_order_seq_cst); }

 protected:
  ReplayLog& mutable_log() { return log_; }
  // Precondition: the head is not frozen.
  AnswerHead& mutable_head() { return head_; }
  void freeze_head() { head_ready_.store(true, std::memory_order_release); }

 private:
  friend class FlightTable;
  friend class Hall;
  friend void intrusive_ptr_add_ref(Flight* flight) {
    flight->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(Flight* flight) {
    if (flight->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete flight;
  }

  Setup setup_;  // constant but for take_canonical()
  Core core_;
  ReplayBudget& budget_;
  ReplayLog log_;
  AnswerHead head_;
  WakePort* const* ports_;
  Room home_room_;
  std::atomic<std::uint64_t> announced_{
      0};  // news for every room: Hall::announce(), forget_positions()
  std::atomic<std::uint64_t> interests_{0};  // bit per worker with subscribers
  std::atomic<std::uint64_t> pending_{0};    // bit per worker with a wake-up on its way
  std::atomic<std::uint64_t> fastest_{0};
  std::atomic<bool> paused_{false};
  std::atomic<bool> head_ready_{false};
  bool shared_ = false;
  bool in_table_ = false;  // under the shard's lock
  std::atomic<std::uint32_t> references_{0};
};

}  // namespace slipstream::flight
