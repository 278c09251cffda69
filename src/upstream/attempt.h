// One upstream call: a request on a pooled or new connection, its answer as callbacks.
//
// Lifetime: whoever starts an attempt owns it. Destroying it cancels: no callback follows, and a
// connection whose answer was not read to its end is closed, never pooled. A handler may destroy
// the attempt from inside any callback. Thread rule: the loop's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/head.h"
#include "upstream/failure.h"

namespace slipstream::upstream {

class AttemptHandler {
 public:
  // The request is on its way on a live connection.
  virtual void on_sent() = 0;
  // The final head (1xx are swallowed). Valid during the call.
  virtual void on_head(const http::Head& head) = 0;
  virtual void on_body(std::string_view bytes) = 0;
  // The message is complete. Last callback.
  virtual void on_end() = 0;
  // Last callback.
  virtual void on_failure(FailureClass failure) = 0;
  // Everything that came with one read was delivered: the moment to wake readers.
  virtual void on_batch() = 0;
  // The deadline given to set_deadline() passed; the attempt goes on unless it is destroyed.
  virtual void on_deadline() = 0;
  // A streamed upload has room again.
  virtual void on_upload_space() = 0;

 protected:
  ~AttemptHandler() = default;
};

struct Call {
  enum class Connection { kPooledOrNew, kNew };
  enum class Body { kWhole, kStreamed };

  std::string_view head{};  // request line, fields, empty line; must stay alive until on_sent()
  std::string_view body{};  // kWhole; must stay alive until the attempt ends
  Body body_kind = Body::kWhole;
  Connection connection = Connection::kPooledOrNew;
  bool head_method = false;  // the answer has no body whatever its head says
};

class Attempt {
 public:
  virtual ~Attempt() = default;

  // One deadline at a time; kNever clears it. Moving it later is almost free.
  virtual void set_deadline(Time at) = 0;
  // Stops and resumes reading the answer.
  virtual void pause() = 0;
  virtual void resume() = 0;

  // kStreamed: the next bytes of the request body, already framed. Kept until they are sent.
  virtual void upload(std::string_view bytes) = 0;
  virtual void finish_upload() = 0;
  virtual std::uint64_t upload_backlog() const = 0;

  // Went out on a connection that had served before.
  virtual bool on_reused_connection() const = 0;
};

// Starts attempts. The pooled HTTP client implements it (upstream/client.h).
class Upstream {
 public:
  virtual ~Upstream() = default;
  // Precondition: `handler` outlives the attempt. Of the callbacks only on_sent() may come from
  // inside start(), when a pooled connection was free.
  virtual std::unique_ptr<Attempt> start(Call call, AttemptHandler* handler) = 0;
};

}  // namespace slipstream::upstream
