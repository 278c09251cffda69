#include "lab/caller.h"

#include <algorithm>
#include <array>

namespace slipstream::lab {

Caller::Caller(net::Reactor& reactor, const BurstOptions& options, const Target& target,
               CallerOwner& owner, std::size_t group, int number)
    : reactor_(reactor),
      options_(options),
      target_(target),
      owner_(owner),
      group_(group),
      number_(number),
      connector_(reactor, nullptr),
      timer_(reactor, [this] { on_timer(); }),
      deadline_(reactor, [this] { fail(Defect::kTimeout, {}); }),
      checker_(options.delivery, options.tokens_from) {}

void Caller::begin(RequestPlan plan, Time at) {
  plan_ = std::move(plan);
  phase_ = Phase::kWaiting;
  timer_.set(at);
}

void Caller::on_timer() {
  if (phase_ == Phase::kPaused) {
    phase_ = Phase::kAnswering;
    return read_answer();
  }
  started_ = reactor_.now();
  first_token_ = {};
  written_ = 0;
  deadline_.set(started_ + options_.timeout);
  if (stream_) {
    checker_.begin();
    phase_ = Phase::kAnswering;
    return send();
  }
  checker_ = AnswerChecker(options_.delivery, options_.tokens_from);
  checker_.begin();
  phase_ = Phase::kConnecting;
  pending_ = connector_.connect(target_.address, to_ms(options_.timeout), this);
}

void Caller::on_connected(std::unique_ptr<net::ByteStream> stream) {
  stream_ = std::move(stream);
  stream_->set_handler(this);
  phase_ = Phase::kAnswering;
  send();
}

void Caller::on_connect_failed(net::ConnectError error) {
  fail(Defect::kConnect, net::to_string(error));
}

void Caller::send() {
  while (written_ < plan_.bytes.size()) {
    const net::IoResult sent = stream_->write(std::string_view(plan_.bytes).substr(written_));
    if (sent.status == net::IoStatus::kWouldBlock) return;
    if (sent.status != net::IoStatus::kOk) return fail(Defect::kCut, "while sending");
    written_ += sent.bytes;
  }
}

void Caller::on_writable() {
  if (phase_ == Phase::kAnswering) send();
}

void Caller::on_readable() {
  if (phase_ == Phase::kAnswering) return read_answer();
  // Between answers the server may close, but not speak.
  if (phase_ == Phase::kIdle || phase_ == Phase::kWaiting) {
    if (!drained_open()) drop_stream();
  }
}

void Caller::read_answer() {
  std::array<char, 64 * 1024> bytes;
  const bool slow = plan_.reading == RequestPlan::Reading::kSlow;
  const std::size_t most = slow ? std::min(options_.slow_read_bytes, bytes.size()) : bytes.size();
  for (;;) {
    const net::IoResult got = stream_->read(std::span(bytes).first(most));
    if (got.status == net::IoStatus::kWouldBlock) return;
    if (got.status != net::IoStatus::kOk) {
      if (checker_.finish() == AnswerChecker::State::kComplete) return complete();
      return fail(checker_.answer().defect, checker_.answer().detail);
    }
    if (!take({bytes.data(), got.bytes})) return;
    if (slow) {
      phase_ = Phase::kPaused;
      timer_.set(reactor_.now() + options_.slow_pause);
      return;
    }
  }
}

bool Caller::take(std::string_view bytes) {
  const AnswerChecker::State state = checker_.feed(bytes);
  const Answer& answer = checker_.answer();
  if (answer.content_events > 0 && first_token_ == Duration{}) {
    first_token_ = reactor_.now() - started_;
  }
  if (state == AnswerChecker::State::kComplete) {
    complete();
    return false;
  }
  if (state == AnswerChecker::State::kFailed) {
    fail(answer.defect, answer.detail);
    return false;
  }
  const auto leave_after = static_cast<std::uint64_t>(std::max(plan_.leave_after, 0));
  if (plan_.leave_after < 0 || answer.content_events < leave_after) return true;
  checker_.leave();
  drop_stream();
  end(Outcome::Ending::kLeft, checker_.answer());
  return false;
}

void Caller::complete() {
  if (!checker_.keep_alive() || !drained_open()) drop_stream();
  const bool sound = checker_.answer().defect == Defect::kNone;
  end(sound ? Outcome::Ending::kComplete : Outcome::Ending::kFailed, checker_.answer());
}

// Reads up to "nothing more now"; false if the server closed or sent anything.
bool Caller::drained_open() {
  std::array<char, 16> bytes;
  return stream_->read(bytes).status == net::IoStatus::kWouldBlock;
}

void Caller::fail(Defect defect, std::string_view detail) {
  pending_.reset();
  drop_stream();
  Answer answer = checker_.answer();
  answer.defect = defect;
  answer.detail = detail;
  end(Outcome::Ending::kFailed, std::move(answer));
}

void Caller::end(Outcome::Ending ending, Answer answer) {
  phase_ = Phase::kIdle;
  timer_.cancel();
  deadline_.cancel();
  owner_.on_ended(*this, Outcome{.group = plan_.group,
                                 .prompt = plan_.prompt,
                                 .tenant = plan_.tenant,
                                 .ending = ending,
                                 .answer = std::move(answer),
                                 .first_token = first_token_,
                                 .total = reactor_.now() - started_});
}

void Caller::drop_stream() {
  if (!stream_) return;
  stream_->close();
  // It may be calling us right now: destroyed when that is over.
  reactor_.defer([stream = std::shared_ptr<net::ByteStream>(std::move(stream_))] {});
}

}  // namespace slipstream::lab
