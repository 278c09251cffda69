// One caller of a burst: a connection that it keeps while it can, one request at a time on it,
// every byte of the answers judged. Thread rule: the reactor's thread. Its owner outlives it.
#pragma once

#include <memory>
#include <string>

#include "lab/answer_checker.h"
#include "lab/burst_options.h"
#include "lab/planner.h"
#include "lab/tally.h"
#include "lab/target.h"
#include "net/connector.h"
#include "net/loop.h"

namespace slipstream::lab {

class Caller;

class CallerOwner {
 public:
  // Once per begin(), never from inside it. May call begin() again.
  virtual void on_ended(Caller& caller, const Outcome& outcome) = 0;

 protected:
  ~CallerOwner() = default;
};

class Caller final : private net::StreamHandler, private net::ConnectHandler {
 public:
  // References outlive the caller. `group` and `number` are the owner's names for it.
  Caller(net::Reactor& reactor, const BurstOptions& options, const Target& target,
         CallerOwner& owner, std::size_t group, int number);

  // Sends `plan` at `at`. Precondition: the request before has ended.
  void begin(RequestPlan plan, Time at);

  std::size_t group() const { return group_; }
  int number() const { return number_; }

 private:
  enum class Phase { kIdle, kWaiting, kConnecting, kAnswering, kPaused };

  void on_connected(std::unique_ptr<net::ByteStream> stream) override;
  void on_connect_failed(net::ConnectError error) override;
  void on_readable() override;
  void on_writable() override;

  void on_timer();
  void send();
  void read_answer();
  bool take(std::string_view bytes);  // true if reading goes on
  void complete();
  bool drained_open();
  void fail(Defect defect, std::string_view detail);
  void end(Outcome::Ending ending, Answer answer);
  void drop_stream();

  net::Reactor& reactor_;
  const BurstOptions& options_;
  const Target& target_;
  CallerOwner& owner_;
  std::size_t group_;
  int number_;
  net::TcpConnector connector_;
  net::Timer timer_;  // start of the request, end of a pause
  net::Timer deadline_;
  AnswerChecker checker_;

  Phase phase_ = Phase::kIdle;
  RequestPlan plan_;
  std::size_t written_ = 0;
  Time started_{};
  Duration first_token_{};
  std::unique_ptr<net::ByteStream> stream_;
  std::unique_ptr<net::PendingConnect> pending_;
};

}  // namespace slipstream::lab
