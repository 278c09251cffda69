// Brings the answers to one identity::Inspection: asks an upstream, one question after the other.
//
// Thread rule: the loop's thread. Destroying it cancels; not from inside its own callback.
// Bounds: the bytes of an answer (a longer one tells nothing) and the time of the whole look.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "identity/inspection.h"
#include "net/loop.h"
#include "upstream/attempt.h"

namespace slipstream::gateway {

class Inspector final : private upstream::AttemptHandler {
 public:
  struct Target {
    std::string host;         // Host field
    std::string path_prefix;  // before the server's own paths; may be empty
  };
  // Called once, in a later turn, when the look is over: conclusive or not, inspection() says.
  using DoneFn = std::function<void()>;
  // Called before each question.
  using AskFn = std::function<void(const identity::Probe&)>;

  // `loop` and `upstream` outlive it.
  Inspector(net::Loop& loop, upstream::Upstream& upstream, Target target,
            identity::Inspection inspection, Duration limit, DoneFn done, AskFn ask = {});

  const identity::Inspection& inspection() const { return inspection_; }
  // Why a question stayed without answer; nothing if all were answered.
  std::optional<upstream::FailureClass> failure() const { return failure_; }

 private:
  static constexpr std::size_t kAnswerBytesMax = 2 * 1024 * 1024;
  static constexpr int kTooLong = 413;  // as if the server had refused

  void step();
  void send(const identity::Probe& probe);
  void lost(upstream::FailureClass why);

  void on_sent() override {}
  void on_head(const http::Head& head) override { status_ = head.status(); }
  void on_body(std::string_view bytes) override;
  void on_end() override;
  void on_failure(upstream::FailureClass failure) override { lost(failure); }
  void on_batch() override {}
  void on_deadline() override {}
  void on_upload_space() override {}

  net::Loop& loop_;
  upstream::Upstream& upstream_;
  const Target target_;
  identity::Inspection inspection_;
  const Time deadline_;
  DoneFn done_;
  AskFn ask_;
  net::Timer step_;     // the next question, or the end, in a later turn
  net::Timer timeout_;  // also while a connection is being made
  std::unique_ptr<upstream::Attempt> attempt_;
  upstream::Call::Connection connection_ = upstream::Call::Connection::kNew;
  std::string head_;
  std::string body_;
  std::string answer_;
  int status_ = 0;
  std::optional<upstream::FailureClass> failure_;
};

}  // namespace slipstream::gateway
