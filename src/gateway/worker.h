// One worker: its loop's view of the gateway. Accepts connections, lends requests, runs flights.
//
// Thread rule: the loop's thread, except wake() and the counters in Shared.
// Lifetime: sessions and flights are destroyed before the worker; flights of this home end by
// shut_down() first.
#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "contract/contract.h"
#include "flight/hall.h"
#include "gateway/doorman.h"
#include "gateway/exchange.h"
#include "gateway/live_flight.h"
#include "gateway/session.h"
#include "gateway/shared.h"
#include "net/loop.h"
#include "net/stream.h"
#include "upstream/attempt.h"
#include "upstream/failure.h"
#include "upstream/retry_budget.h"

namespace slipstream::gateway {

class Worker final : public flight::WakePort, public net::AcceptHandler {
 public:
  Worker(Shared& shared, flight::WorkerIndex index, net::Loop& loop, upstream::Upstream& upstream,
         std::unique_ptr<Random> random);
  ~Worker();

  Shared& shared() { return shared_; }
  flight::WorkerIndex index() const { return index_; }
  net::Loop& loop() { return loop_; }
  Time now() const { return loop_.now(); }
  upstream::Upstream& upstream() { return upstream_; }
  flight::Hall& hall() { return hall_; }
  Random& random() { return *random_; }
  contract::Examiner& examiner() { return examiner_; }
  Doorman& doorman() { return doorman_; }
  // In the epoch of now: an epoch that was set before the call began is in it. Valid until the next
  // call.
  const Routes& routes() {
    if (shared_.epoch.version() != epoch_.version) take_epoch();
    return routes_;
  }
  // The kind of server, as far as it is known.
  Profile profile() {
    routes();
    return epoch_.profile;
  }
  contract::JudgeMemory& judge_memory() { return judge_memory_; }
  upstream::RetryBudget& retry_budget() { return retry_budget_; }
  telemetry::WorkerMetrics& metrics() { return metrics_; }
  // Filled by a read and emptied before the callback ends: shared by all sessions.
  std::span<char> read_buffer() { return buffer_; }

  // flight::WakePort: any thread.
  void wake(flight::FlightRef flight) override;
  // net::AcceptHandler
  void on_accepted(std::unique_ptr<net::ByteStream> stream) override;

  // Empty strings with memory of their own, for bodies and heads: a warm worker allocates none.
  // `expected`: about how many bytes will be put in, so that a body does not outgrow a head's
  // memory.
  std::string take_buffer(std::uint64_t expected = 0);
  void give_buffer(std::string&& buffer);
  // A copy for as long as a flight lives: in a buffer's memory only if that fits closely.
  std::string keep(std::string_view bytes);
  // The same for heads: only a message that is being read, or kept, has one.
  http::Head take_head();
  void give_head(http::Head&& head);

  // Requests are lent from here, so that a warm worker allocates none.
  std::unique_ptr<Exchange> lend_exchange();
  void take_back(std::unique_ptr<Exchange> exchange);

  void flight_started(LiveFlight& flight);
  // `cause`: what broke it, empty if nothing did.
  void flight_ended(LiveFlight& flight, flight::FlightEnding ending, std::string_view cause);
  void note_retry(const LiveFlight& flight, upstream::FailureClass failure);
  void count_refusal(RefusedBecause because);
  // A request that changes the model begins or ended: nothing joins across this moment.
  void model_changes();
  // The epoch was set.
  void note_epoch(EpochCause cause);
  // A connection to the upstream failed: another model may answer when it is back.
  void suspect_upstream();
  std::string make_id(char prefix);
  // Now, as an HTTP date (RFC 9110 section 5.6.7); at most half a second old. Valid until the next
  // call.
  std::string_view http_date();
  // Drops the reference after this batch: a callback of the flight may be running.
  void release_later(flight::FlightRef flight);

  // The session's connection is gone: it is destroyed after the batch.
  void retire(Session& session);

  // Stops keep-alive: idle sessions close now, busy ones after their answer.
  void drain();
  // Ends every flight of this home and closes every session.
  void shut_down();
  bool idle() const { return sessions_.empty() && flights_.empty(); }

  // Any thread, for gauges; written by this worker alone.
  std::uint64_t live_flights() const { return live_flights_.load(std::memory_order_relaxed); }
  std::uint64_t live_subscribers() const {
    return live_subscribers_.load(std::memory_order_relaxed);
  }
  void note_subscribers() {
    live_subscribers_.store(hall_.subscribers(), std::memory_order_relaxed);
  }

 private:
  void drop_released();
  void take_epoch();

  static constexpr std::size_t kExchangesKept = 256;
  static constexpr std::size_t kBuffersKept = 256;  // of each size
  static constexpr std::size_t kBufferBytesMin = 256;
  static constexpr std::size_t kBufferBytesSmall = 640;  // a head; above it, a body
  static constexpr std::size_t kBufferBytesMax = 32 * 1024;

  Shared& shared_;
  const flight::WorkerIndex index_;
  net::Loop& loop_;
  upstream::Upstream& upstream_;
  std::unique_ptr<Random> random_;
  flight::Hall hall_;
  contract::Examiner examiner_;
  Doorman doorman_;
  Epoch::Value epoch_;
  Routes routes_;
  contract::JudgeMemory judge_memory_;
  upstream::RetryBudget retry_budget_;
  telemetry::WorkerMetrics& metrics_;
  std::vector<char> buffer_;
  std::string date_;
  Time date_made_at_ = Time::min();
  std::vector<std::string> small_buffers_;
  std::vector<std::string> large_buffers_;
  std::vector<http::Head> heads_;
  std::vector<flight::FlightRef> released_;
  std::vector<std::unique_ptr<Exchange>> spare_exchanges_;
  std::vector<std::unique_ptr<Exchange>> returned_exchanges_;
  std::atomic<std::uint64_t> live_flights_{0};
  std::atomic<std::uint64_t> live_subscribers_{0};
  boost::intrusive::list<Session> sessions_;
  boost::intrusive::list<LiveFlight, boost::intrusive::constant_time_size<false>> flights_;
};

}  // namespace slipstream::gateway
