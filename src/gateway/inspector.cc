#include "gateway/inspector.h"

#include "http/write.h"

namespace slipstream::gateway {

Inspector::Inspector(net::Loop& loop, upstream::Upstream& upstream, Target target,
                     identity::Inspection inspection, Duration limit, DoneFn done, AskFn ask)
    : loop_(loop),
      upstream_(upstream),
      target_(std::move(target)),
      inspection_(std::move(inspection)),
      deadline_(loop.now() + limit),
      done_(std::move(done)),
      ask_(std::move(ask)),
      step_(loop, [this] { step(); }),
      timeout_(loop, [this] { lost(upstream::FailureClass::kFirstEventTimeout); }) {
  timeout_.set(deadline_);
  step_.set(loop_.now());
}

void Inspector::step() {
  if (const identity::Probe* probe = inspection_.next()) return send(*probe);
  timeout_.cancel();
  done_();
}

void Inspector::send(const identity::Probe& probe) {
  if (ask_) ask_(probe);
  head_.clear();
  answer_.clear();
  status_ = 0;
  body_ = probe.body;
  http::append_request_line(head_, probe.method, target_.path_prefix + probe.path);
  http::append_field(head_, "host", target_.host);
  http::append_field(head_, "accept", "application/json");
  if (!body_.empty()) {
    http::append_field(head_, "content-type", "application/json");
    http::append_field(head_, "content-length", body_.size());
  }
  http::append_end_of_head(head_);
  // The first question takes a connection of its own, so that a stale one cannot fail the look; the
  // others follow on it.
  attempt_ = upstream_.start({.head = head_, .body = body_, .connection = connection_}, this);
  connection_ = upstream::Call::Connection::kPooledOrNew;
}

void Inspector::on_body(std::string_view bytes) {
  if (answer_.size() + bytes.size() <= kAnswerBytesMax) {
    answer_.append(bytes);
    return;
  }
  attempt_.reset();
  inspection_.answer(kTooLong, {});
  step_.set(loop_.now());
}

void Inspector::on_end() {
  attempt_.reset();
  inspection_.answer(status_, answer_);
  step_.set(loop_.now());
}

void Inspector::lost(upstream::FailureClass why) {
  attempt_.reset();
  failure_ = why;
  if (inspection_.next()) inspection_.unanswered();
  step_.set(loop_.now());
}

}  // namespace slipstream::gateway
