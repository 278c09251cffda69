// A deterministic OpenAI-compatible model server for tests, demos and load: the generations are
// numbered and every token names its generation (lab/token.h), faults are scripted (lab/script.h).
//
//   POST /v1/chat/completions, /v1/completions, /v1/embeddings    GET /v1/models, /health
//   GET /stub/stats    POST /stub/reset
//
// Thread rule: the reactor's thread, destruction included.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "lab/stub_connection.h"
#include "lab/stub_state.h"
#include "net/reactor.h"
#include "net/socket.h"

namespace slipstream::lab {

class Stub final : private net::AcceptHandler {
 public:
  // `reactor` outlives the stub.
  Stub(net::Reactor& reactor, StubOptions options);
  Stub(const Stub&) = delete;
  Stub& operator=(const Stub&) = delete;

  // Starts serving on "127.0.0.1:0" and the like; returns the bound address. Call it once.
  Result<std::string, net::ListenError> listen(const std::string& address);

  const StubStats& stats() const { return state_.stats(); }

 private:
  void on_accepted(std::unique_ptr<net::ByteStream> stream) override;
  void retire(std::uint64_t id);

  net::Reactor& reactor_;
  StubState state_;
  std::uint64_t next_id_ = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<StubConnection>> connections_;
  std::unique_ptr<net::Listener> listener_;
};

}  // namespace slipstream::lab
