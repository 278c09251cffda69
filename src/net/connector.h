// Outgoing connections: name resolution, TCP with every address in turn, TLS where asked for.
// Thread rule: the reactor's thread.
#pragma once

#include <memory>

#include "net/reactor.h"
#include "net/stream.h"
#include "net/tls.h"

namespace slipstream::net {

class TcpConnector final : public Connector {
 public:
  // `tls` may be null if no address asks for TLS; not owned, outlives the connector.
  TcpConnector(Reactor& reactor, const TlsContext* tls) : reactor_(reactor), tls_(tls) {}

  std::unique_ptr<PendingConnect> connect(const Address& to, long long timeout_ms,
                                          ConnectHandler* handler) override;

 private:
  Reactor& reactor_;
  const TlsContext* tls_;
};

}  // namespace slipstream::net
