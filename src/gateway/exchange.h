// One request and its answer: contract, flight, and writing from the flight's log to the caller.
//
//   begin -> body... -> request_complete -> dispatch -> (progress -> write)... -> end
//
// Lent from its worker's free list for one request at a time. Subscribes to exactly one flight at a
// time and ends exactly once, with a SubscriberEnding.
// Thread rule: its worker's.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "contract/contract.h"
#include "flight/flight.h"
#include "gateway/doorman.h"
#include "gateway/heads.h"
#include "gateway/live_flight.h"
#include "gateway/shared.h"
#include "http/head.h"
#include "http/parser.h"
#include "telemetry/series.h"

namespace slipstream::gateway {

class Session;
class Worker;

// What becomes of the connection after an exchange.
enum class After { kKeepAlive, kClose, kReset };

class Exchange final : public flight::Subscriber {
 public:
  explicit Exchange(Worker& worker) : worker_(worker) {}
  ~Exchange() = default;

  // The request's head is here. Decides whether the body is collected (a surface with a contract)
  // or streamed on as it comes.
  void begin(Session& session, http::Parser& parser);
  void body(std::string_view bytes);
  void request_complete();

  contract::Dialect dialect() const { return contract::row_of(surface_).dialect; }
  // Reads a flight: its deadlines run.
  bool flying() const { return flight_ != nullptr; }
  // Bytes of an answer left or wait to leave: nothing else may be said on this connection.
  bool answering() const { return answer_ != Answer::kWaiting; }
  // The upstream takes a streamed upload slower than the caller sends it: stop reading.
  bool upload_is_full() const;

  void on_writable();
  void on_progress() override;
  // Checks the deadlines; returns when to be called again at the latest.
  Time on_tick(Time now);
  // Leaves without writing anything more. The session closes the connection.
  void abandon(flight::SubscriberEnding ending);

 private:
  enum class Answer {
    kWaiting,   // nothing sent
    kOpened,    // the gateway sent a head and keep-alives of its own: an event stream it is
    kHeadMade,  // the flight's head is on its way
    kDirect,    // the gateway answers by itself; no flight
  };
  // The gateway's own answer to a request that it does not serve.
  struct Refusal {
    int status;
    RefusedBecause because;
    std::string_view code;
    std::string message;
    std::uint64_t retry_after_ms = 0;
  };
  static constexpr std::size_t kPiecesMax = 16;
  static constexpr std::uint64_t kUploadBacklogMax = 256 * 1024;

  void reset();
  Duration time_allowed() const;
  void invite_body();
  // False, and `refusal_` says why, if the request may not be served.
  bool admit();
  bool counts_tokens() const { return party_.tenant && party_.tenant->quota.counts_tokens(); }
  void charge_tokens();
  std::string tenant_label() const;
  void dispatch_contract();
  void share(const contract::Contract& contract);
  void fly_alone(contract::Reason reason, Order order);
  void subscribe(flight::FlightRef flight, flight::Cursor cursor);
  Order make_order(Order::Answer answer, Upload upload);
  Order contract_order();
  void refuse(const Refusal& refusal);
  // `retry_after_ms`: 0 names no delay.
  void answer_directly(int status, std::string body, std::uint64_t retry_after_ms);

  void pump();
  bool refused_for_another() const;
  void prepare_head();
  // The bytes after the log's last: the final chunk, or the honest end of a broken stream.
  void prepare_tail();
  // One gather-write of everything that can go now; false when there is no more to do.
  enum class LogState { kGrowing, kEnded };
  bool write_pieces(LogState log);
  void take_written(std::size_t bytes, std::uint64_t from_log);
  void note_first_bytes();
  bool answer_is_whole() const;

  bool caught_up() const;
  bool lags_too_far() const;
  // To the flight, which paces the upstream by its fastest reader.
  void say_position();
  void send_keep_alive();
  void fall_back();
  void time_out();

  void finish();
  void release_request();
  void leave_flight();
  void count_ending(flight::SubscriberEnding ending);
  using Reuse = After;
  void end(flight::SubscriberEnding ending, Reuse reuse);
  Duration first_check() const;
  LiveFlight& live() const { return static_cast<LiveFlight&>(*flight_); }
  bool chunked() const;

  Worker& worker_;
  Session* session_ = nullptr;
  http::Head head_;
  std::string body_;
  contract::Surface surface_ = contract::Surface::kPassThrough;
  Party party_;
  std::unique_ptr<const Refusal> refusal_;  // decided by the head, told when the body was read
  std::uint64_t body_bytes_ = 0;            // of a request with a contract
  std::string request_id_;
  std::string explanation_;  // header fields, if the caller asked
  SampledWatch::Stay sampled_;
  telemetry::Series* series_ = nullptr;

  flight::FlightRef flight_;
  flight::Cursor cursor_;
  std::string out_;   // own bytes before the log's: head, comments
  std::string tail_;  // own bytes after the log's
  std::size_t out_sent_ = 0;
  std::size_t tail_sent_ = 0;

  Time began_at_{};
  Time deadline_ = kNever;
  Time last_write_{};
  std::uint64_t lag_allowed_ = 0;
  bool drained_ = false;  // had everything there was when it last wrote
  int minor_version_ = 1;
  bool keep_alive_ = true;
  bool head_method_ = false;
  Role role_ = Role::kSolo;
  contract::Reason reason_ = contract::Reason::kSurface;
  Answer answer_ = Answer::kWaiting;
  flight::SubscriberEnding direct_ending_ = flight::SubscriberEnding::kDelivered;
  bool streamed_ = false;
  bool blocked_ = false;
  bool tail_ready_ = false;
  bool log_dropped_ = false;  // the log does not fit what the caller was told: only tail_ follows
  bool first_bytes_ = false;
  bool credential_in_key_ = true;  // all callers of the flight presented the same one
  bool over_ = false;
};

}  // namespace slipstream::gateway
