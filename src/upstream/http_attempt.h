// The attempt of the pooled client: connects or borrows, sends, relays its connection's news.
// Internal to upstream/.
#pragma once

#include <functional>
#include <memory>

#include "net/stream.h"
#include "upstream/client.h"
#include "upstream/connection.h"

namespace slipstream::upstream {

class HttpAttempt final : public Attempt, private net::ConnectHandler {
 public:
  HttpAttempt(Client& client, Call call, AttemptHandler* handler);
  ~HttpAttempt() override;
  void start();

  void set_deadline(Time at) override;
  void pause() override;
  void resume() override;
  void upload(std::string_view bytes) override;
  void finish_upload() override;
  std::uint64_t upload_backlog() const override;
  bool on_reused_connection() const override { return connection_ && connection_->reused(); }

  // From the connection.
  void head(const http::Head& head);
  void body(std::string_view bytes) { handler_->on_body(bytes); }
  void batch() { handler_->on_batch(); }
  void complete();
  void failed(FailureClass failure);
  void connection_deadline();
  void connection_took_bytes();

 private:
  void on_connected(std::unique_ptr<net::ByteStream> stream) override;
  void on_connect_failed(net::ConnectError error) override;
  void use(std::unique_ptr<Connection> connection);
  // The connection leaves this attempt: to the pool when clean, else closed.
  void let_go();
  // Anew from now, while bytes wait for the upstream to take them.
  void limit_writing();
  void arm();
  // After the batch, unless this attempt is gone by then.
  void later(std::function<void()> task);

  Client& client_;
  Call call_;
  AttemptHandler* handler_;
  std::unique_ptr<net::PendingConnect> pending_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<net::Timer> begin_;  // reports what start() already knew, in a later turn
  std::string early_upload_;           // body bytes that came before the connection
  Time deadline_ = kNever;
  Time write_deadline_ = kNever;
  bool upload_finished_ = false;
  bool paused_ = false;
  // Deferred tasks hold it weakly: they must not reach an attempt that is gone.
  std::shared_ptr<int> alive_;
};

}  // namespace slipstream::upstream
