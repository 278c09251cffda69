#include "upstream/http_attempt.h"

#include <algorithm>
#include <utility>

namespace slipstream::upstream {

HttpAttempt::HttpAttempt(Client& client, Call call, AttemptHandler* handler)
    : client_(client),
      call_(std::move(call)),
      handler_(handler),
      upload_finished_(call_.body_kind == Call::Body::kWhole) {
  ++client_.busy_;
  client_.update_gauges();
}

HttpAttempt::~HttpAttempt() {
  let_go();
  --client_.busy_;
  client_.update_gauges();
}

void HttpAttempt::start() {
  if (call_.connection == Call::Connection::kPooledOrNew) {
    if (auto idle = client_.take_idle()) return use(std::move(idle));
  }
  if (client_.busy_ > client_.options_.connections_max) {
    begin_ = std::make_unique<net::Timer>(client_.loop_, [this] {
      client_.loop_.defer([keep = std::shared_ptr<net::Timer>(std::move(begin_))] {});
      failed(FailureClass::kOverload);
    });
    begin_->set(client_.loop_.now());
    return;
  }
  pending_ = client_.connector_.connect(client_.options_.endpoint,
                                        client_.options_.connect_timeout_ms, this);
}

void HttpAttempt::on_connected(std::unique_ptr<net::ByteStream> stream) {
  pending_.reset();
  use(std::make_unique<Connection>(client_, std::move(stream)));
}

void HttpAttempt::on_connect_failed(net::ConnectError error) {
  pending_.reset();
  failed(classify(error));
}

void HttpAttempt::use(std::unique_ptr<Connection> connection) {
  connection_ = std::move(connection);
  connection_->serve(
      this, call_.head_method ? Connection::AnswerBody::kNone : Connection::AnswerBody::kAsFramed);
  connection_->send(call_.head, call_.body);
  if (!early_upload_.empty()) {
    connection_->upload(std::exchange(early_upload_, std::string()));
    // All of it went at once: no edge will tell the caller, who may have stopped at a full backlog.
    if (connection_->unsent() == 0) later([this] { connection_took_bytes(); });
  }
  if (paused_) connection_->pause();
  limit_writing();
  handler_->on_sent();
}

void HttpAttempt::limit_writing() {
  write_deadline_ = connection_->unsent() > 0
                        ? client_.loop_.now() + milliseconds(client_.options_.write_timeout_ms)
                        : kNever;
  arm();
}

void HttpAttempt::arm() {
  if (connection_) connection_->timer().set(std::min(deadline_, write_deadline_));
}

void HttpAttempt::set_deadline(Time at) {
  deadline_ = at;
  arm();
}

void HttpAttempt::pause() {
  paused_ = true;
  if (connection_) connection_->pause();
}

void HttpAttempt::resume() {
  paused_ = false;
  if (connection_) connection_->resume();
}

void HttpAttempt::upload(std::string_view bytes) {
  if (!connection_) {
    early_upload_.append(bytes);
    return;
  }
  const std::uint64_t before = connection_->unsent();
  connection_->upload(bytes);
  // Slow callers may pause between bytes; what is limited is how long the upstream takes none.
  if (before == 0 || connection_->unsent() < before + bytes.size()) limit_writing();
}

void HttpAttempt::finish_upload() {
  upload_finished_ = true;
}

std::uint64_t HttpAttempt::upload_backlog() const {
  return early_upload_.size() + (connection_ ? connection_->unsent() : 0);
}

void HttpAttempt::connection_took_bytes() {
  limit_writing();
  if (connection_->unsent() == 0 && !upload_finished_) handler_->on_upload_space();
}

void HttpAttempt::connection_deadline() {
  const Time now = client_.loop_.now();
  if (write_deadline_ <= now) {
    // A timer must not be destroyed while it calls; the connection is its owner.
    return later([this] { failed(FailureClass::kWriteTimeout); });
  }
  if (deadline_ > now) return arm();
  deadline_ = kNever;
  arm();
  later([this] { handler_->on_deadline(); });
}

void HttpAttempt::later(std::function<void()> task) {
  if (!alive_) alive_ = std::make_shared<int>(0);
  client_.loop_.defer([task = std::move(task), guard = std::weak_ptr<int>(alive_)] {
    if (guard.lock()) task();
  });
}

void HttpAttempt::head(const http::Head& head) {
  handler_->on_head(head);
}

void HttpAttempt::complete() {
  AttemptHandler* handler = handler_;
  if (!upload_finished_) connection_->spoil();
  let_go();
  handler->on_end();
}

void HttpAttempt::failed(FailureClass failure) {
  AttemptHandler* handler = handler_;
  let_go();
  handler->on_failure(failure);
}

void HttpAttempt::let_go() {
  alive_.reset();  // nothing follows the last callback
  pending_.reset();
  if (!connection_) return;
  connection_->detach();
  if (connection_->clean()) return client_.give_back(std::move(connection_));
  // It may be this connection that is calling: destroyed after the batch. Closed at once.
  connection_->close();
  client_.loop_.defer([keep = std::shared_ptr<Connection>(std::move(connection_))] {});
}

}  // namespace slipstream::upstream
