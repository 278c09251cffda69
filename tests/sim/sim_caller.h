// A scripted caller: connects to a worker, asks, reads as it likes, leaves when it likes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/parser.h"
#include "net/stream.h"
#include "sim/exchange_record.h"
#include "sim/swarm.h"

namespace slipstream::sim {

struct CallerPlan {
  enum class Reading { kAtOnce, kSlowly, kNever };
  enum class Leaving { kWhenDone, kClose, kHalfClose, kReset };

  std::uint64_t number = 0;
  std::uint64_t worker = 0;
  std::uint64_t start_ms = 0;
  std::vector<Question> questions;
  bool pipelined = false;
  Reading reading = Reading::kAtOnce;
  std::uint64_t read_bytes = 0;  // kSlowly: per turn
  std::uint64_t read_gap_ms = 0;
  Leaving leaving = Leaving::kWhenDone;
  std::uint64_t leave_after_ms = 0;
  bool sends_slowly = false;
};
CallerPlan draw_caller(SimWorld& world, const Swarm& swarm, std::uint64_t number);

class SimCaller final : public net::StreamHandler {
 public:
  // `connect` delivers the gateway's end of a new connection to a worker and returns ours.
  using Connect = std::function<std::unique_ptr<net::ByteStream>(std::uint64_t worker)>;
  SimCaller(SimWorld& world, SimLoop& loop, CallerPlan plan, Connect connect);

  void on_readable() override;
  void on_writable() override;
  // The replies so far; one per question that was put. Valid after the world has ended.
  const std::vector<Reply>& replies() const { return replies_; }

 private:
  static constexpr Duration kPatience = std::chrono::minutes(20);

  void begin();
  void ask_next();
  void send_some();
  void read_slowly();
  bool read_once(std::size_t bytes_max);
  void feed(std::string_view input);
  void take_head();
  void take_body();
  void answered();
  void ended(Reply::End end);
  void connection_over(net::IoStatus status);
  void leave();
  void give_up();
  void close_all(Reply::End rest);
  Reply* current();
  void later(Duration delay, void (SimCaller::*what)());

  SimWorld& world_;
  SimLoop& loop_;
  const CallerPlan plan_;
  Connect connect_;
  std::unique_ptr<net::ByteStream> stream_;
  http::Parser parser_;
  std::vector<Reply> replies_;
  std::size_t asked_ = 0;                   // questions put
  std::size_t answered_ = 0;                // replies that ended
  std::vector<std::size_t> question_ends_;  // in sent bytes
  std::string out_;
  std::size_t sent_ = 0;
  std::size_t marks_seen_ = 0;  // in the current reply's body
  bool half_closed_ = false;
  bool sending_ = false;
  bool reading_ = false;
  bool over_ = false;
};

}  // namespace slipstream::sim
