// A flight with its upstream call: attempt, judgement, commit point, retry, ending.
//
// Lives on its home worker: everything here happens on that worker's thread, except what
// flight::Flight opens to any thread. A running flight holds itself; it lets go when it ended.
//
//   start -> attempt -> (failure -> retry once) -> commit -> publish ... -> end
//
// Before the commit point nothing is visible to subscribers. The commit point is the first semantic
// event (or line) of a stream, the whole body of a non-streamed answer, and the head of what has no
// contract.
#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <string>

#include "contract/judge.h"
#include "flight/flight.h"
#include "gateway/heads.h"
#include "net/loop.h"
#include "sse/splitter.h"
#include "telemetry/series.h"
#include "upstream/attempt.h"

namespace slipstream::gateway {

class Worker;

// What a flight asks the upstream.
struct Order {
  enum class Answer {
    kStream,   // a stream: judged event by event
    kBody,     // an answer in one piece: judged as a whole
    kRelayed,  // no contract: passed on as it comes
  };
  enum class Framing { kChunked, kUntilClose };  // towards subscribers, where the length is unknown
  enum class Usage { kIfJoined, kCounted };      // whether a whole body is asked what it took

  contract::Surface surface = contract::Surface::kPassThrough;
  Answer answer = Answer::kRelayed;
  Framing framing = Framing::kChunked;
  Usage usage = Usage::kIfJoined;
  upstream::Call::Body body_kind = upstream::Call::Body::kWhole;
  Upload upload = Upload::kLength;  // how a streamed body is framed
  bool repeatable = true;  // safe to send again when no answer came (RFC 9110 section 9.2.2)
  bool head_method = false;
  enum class Effect { kNone, kChangesModel } effect = Effect::kNone;
  std::string head;
  std::string body;
};

class LiveFlight final : public flight::Flight,
                         public boost::intrusive::list_base_hook<>,
                         private upstream::AttemptHandler {
 public:
  LiveFlight(Worker& worker, Setup setup);
  ~LiveFlight() override;

  // Makes the first attempt. Precondition: entered in the table or alone; called once.
  void start(Order order, telemetry::Series& series);

  // Streamed uploads of the only caller.
  void upload(std::string_view bytes);
  void finish_upload();
  std::uint64_t upload_backlog() const;
  // Called when a streamed upload has room again; must outlive the upload.
  void set_upload_listener(net::Task listener) { on_upload_space_ = std::move(listener); }

  // The gateway stops: ends the flight whatever its state.
  void shut_down();

  // Valid once log().ended(): what the answer says it took, for everybody's accounting. Without
  // word from the upstream, the tokens that were seen.
  const contract::Usage& usage() const { return usage_; }
  // Tokens published so far. Any thread; may be a batch behind.
  std::uint64_t tokens_seen() const { return tokens_seen_.load(std::memory_order_relaxed); }
  // The body of the failure for callers who were already told 200.
  const std::string& failure_body() const { return failure_body_; }
  Time first_published_at() const { return first_published_at_; }

  void on_home_wake() override;
  void on_home_pass_done() override;

 private:
  // upstream::AttemptHandler
  void on_sent() override;
  void on_head(const http::Head& head) override;
  void on_body(std::string_view bytes) override;
  void on_end() override;
  void on_failure(upstream::FailureClass failure) override;
  void on_batch() override;
  void on_deadline() override;
  void on_upload_space() override;

  void attempt(upstream::Call::Connection connection);
  void collect_events(std::string_view bytes);
  // False when the flight ended with this event.
  bool take_event(std::string_view raw);
  void end_of_stream();
  void end_of_body();
  void reject_or_retry();
  void take_error_event(std::string_view raw);
  contract::Dialect dialect() const { return contract::row_of(order_.surface).dialect; }

  void note_head();
  // Passes the commit point: shows the answer, and nothing is sent again.
  void commit(flight::AnswerHead::Body body, std::uint64_t length);
  // Freezes the head and makes the collected bytes visible.
  void show(flight::AnswerHead::Body body, std::uint64_t length);
  // How subscribers are told where a body of unknown length ends.
  flight::AnswerHead::Body unknown_length() const;
  // The events of this batch, as one chunk.
  void append_events();
  void append_framed(std::string_view bytes);
  void flush();
  void settle_memory();
  void settle_pace();

  void attempt_failed(upstream::FailureClass failure);
  bool may_send_again(upstream::FailureClass failure) const;
  void retry_later(upstream::FailureClass failure);
  void publish_failure(upstream::FailureClass failure);
  void break_off(upstream::FailureClass failure);
  void complete(flight::FlightEnding ending);
  void abandon();
  void finish(flight::FlightEnding ending);
  void arm_deadline();
  void set_timer(Time at);
  void on_timer();

  Worker& worker_;
  flight::FlightRef self_;  // held while running
  telemetry::Series* series_ = nullptr;
  Order order_;
  std::unique_ptr<upstream::Attempt> attempt_;
  std::unique_ptr<net::Timer> timer_;  // made when first needed
  sse::Splitter splitter_;
  contract::StreamJudge judge_;
  std::string collected_;  // before commit: preamble or body; after: events of this batch
  Time sent_at_ = kNever;
  Time last_event_at_ = Time::min();  // that was more than a comment
  Time first_published_at_ = kNever;
  Time retry_at_ = kNever;
  Time grace_at_ = kNever;
  Time flush_at_ = kNever;
  Time last_flush_ = Time::min();
  Duration busy_window_{};  // by which events are merged because writing takes long
  Order::Answer mode_ = Order::Answer::kRelayed;  // how this attempt's answer is read
  bool ends_with_connection_ = false;             // the answer's body has no framing of its own
  bool committed_ = false;
  bool head_told_to_core_ = true;
  bool head_told_ = false;  // subscribers were woken for the head
  bool over_ = false;
  contract::Usage usage_;
  std::atomic<std::uint64_t> tokens_seen_{0};
  std::string failure_body_;
  std::string_view cause_;  // what broke it, for the log
  net::Task on_upload_space_;
};

}  // namespace slipstream::gateway
