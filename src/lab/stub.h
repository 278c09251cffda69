// A deterministic model server for tests, demos and load, on every surface of lab/dialect.h: the
// calls are numbered and every token names its call (lab/token.h), faults are scripted
// (lab/script.h), and it answers the probes that tell servers and models apart (lab/identity.h).
//
//   GET /stub/stats    POST /stub/reset    GET, POST /stub/identity ("build=2,digest=ab")
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
