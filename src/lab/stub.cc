#include "lab/stub.h"

namespace slipstream::lab {

Stub::Stub(net::Reactor& reactor, StubOptions options)
    : reactor_(reactor), state_(std::move(options)) {}

Result<std::string, net::ListenError> Stub::listen(const std::string& address) {
  auto opened = net::Listener::open(reactor_, {.address = address}, this);
  if (!opened) return Failure{opened.error()};
  listener_ = std::move(*opened);
  return listener_->bound_address();
}

void Stub::on_accepted(std::unique_ptr<net::ByteStream> stream) {
  const std::uint64_t id = next_id_++;
  auto connection = std::make_shared<StubConnection>(reactor_, std::move(stream), state_,
                                                     [this, id] { retire(id); });
  connections_.emplace(id, connection);
  connection->start();
}

void Stub::retire(std::uint64_t id) {
  const auto found = connections_.find(id);
  // It is calling us from inside its own callback: destroyed when that is over. The task does not
  // touch the stub, which may be gone by then.
  reactor_.defer([connection = std::move(found->second)] {});
  connections_.erase(found);
}

}  // namespace slipstream::lab
