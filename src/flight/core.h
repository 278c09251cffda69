// The life of a flight as a state machine without I/O: events in, effects out.
//
//   Opening -> Headed -> Streaming -> Complete | Failed | Abandoned        (forward only;
//      ^---------'  a retry before the commit point starts over)
//
// Invariants (enumerated in core_test.cc):
//  1. A terminal state is set once and never left.
//  2. With no subscriber the call is in grace or cancelled.
//  3. A flight that is terminal, closed to joiners or abandoned is never joined.
//  4. attempts() <= 1 + retries granted; none is started after the commit point.
//  5. Every join is followed by exactly one leave.
// Thread rule: all calls under the lock of the flight's table shard; for a flight outside the
// table, on its home worker. Copyable value, so that tests can enumerate it.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "flight/endings.h"

namespace slipstream::flight {

// Bounds on joining and lingering. Constant after configuration.
struct Bounds {
  Duration join_window_age = seconds(600);
  std::uint64_t join_window_bytes = 16 * 1024 * 1024;
  std::uint32_t subscribers_max = 100'000;
  Duration grace_max = seconds(2);
  std::uint32_t grace_percent = 10;  // of the flight's age; 0 = no grace
};

enum class State { kOpening, kHeaded, kStreaming, kComplete, kFailed, kAbandoned };
std::string_view to_string(State state);

// Why a request may not join the flight it found.
enum class JoinRefusal { kNone, kTerminal, kWindowClosed, kFull, kTooOldForCaller };

class Core {
 public:
  explicit Core(Time opened_at) : opened_at_(opened_at) {}

  State state() const { return state_; }
  bool terminal() const { return state_ >= State::kComplete; }
  std::uint32_t subscribers() const { return subscribers_; }
  // Callers who came after the first, whether still here or not.
  std::uint32_t joins() const { return joins_; }
  std::uint32_t attempts() const { return attempts_; }
  Time opened_at() const { return opened_at_; }
  bool in_grace() const { return grace_until_ != kNever; }
  Time grace_until() const { return grace_until_; }

  // The first subscriber. Precondition: called once, before anything else.
  void open() { subscribers_ = 1; }

  // A further subscriber; kNone = joined. `max_age`: the oldest flight this caller accepts.
  // Joining during grace ends the grace: the work already paid for is wanted again.
  JoinRefusal join(Time now, const Bounds& bounds, std::uint64_t log_bytes, Duration max_age);

  // The log no longer starts at its first byte: nobody joins any more.
  void close_to_joiners() { closed_ = true; }
  bool closed_to_joiners() const { return closed_; }

  enum class OnLeave { kNothing, kStartGrace, kAbandon };
  // One subscriber less. kStartGrace: call grace_over() at grace_until(). kAbandon: the state is
  // Abandoned now, cancel the call and leave the table in the same step.
  OnLeave leave(Time now, const Bounds& bounds);

  enum class OnGrace { kNothing, kAbandon };
  OnGrace grace_over(Time now);

  // An attempt is about to be made: the first, or the one of a granted retry. False when neither
  // is left.
  bool start_attempt();
  void headed();
  // The commit point: the attempt's answer is published from now on.
  void commit();
  bool committed() const { return state_ == State::kStreaming || state_ == State::kComplete; }

  enum class Transience { kTransient, kDeterministic };
  enum class Budget { kGranted, kRefused };
  enum class OnFailure { kRetry, kFail };
  // The attempt failed. kRetry (at most once, before the commit point, only for transient failures
  // with budget, only while somebody listens): back to Opening. kFail: the state is Failed now.
  OnFailure attempt_failed(Transience transience, Budget budget);

  // The answer is complete. Precondition: committed() and not terminal.
  void complete();
  // Ends whatever the state, for shutdown and bugs of ours.
  void fail();

 private:
  static constexpr std::uint32_t kRetriesMax = 1;

  Time opened_at_;
  Time grace_until_ = kNever;
  std::uint32_t subscribers_ = 0;
  std::uint32_t joins_ = 0;
  std::uint32_t attempts_ = 0;
  std::uint32_t retries_ = 0;  // granted
  State state_ = State::kOpening;
  bool closed_ = false;
};

}  // namespace slipstream::flight
