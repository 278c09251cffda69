// The simulated net::Connector: connects to the scripted upstream, is refused, or waits in vain.
#pragma once

#include <functional>
#include <memory>

#include "net/stream.h"
#include "sim/sim_stream.h"
#include "sim/swarm.h"

namespace slipstream::sim {

class SimConnector final : public net::Connector {
 public:
  // `accept` runs on the upstream's loop with the upstream's end of each new connection.
  using Accept = std::function<void(std::unique_ptr<net::ByteStream>)>;
  SimConnector(SimWorld& world, SimLoop& loop, SimLoop& upstream, const Swarm& swarm, Accept accept)
      : world_(world),
        loop_(loop),
        upstream_(upstream),
        swarm_(swarm),
        accept_(std::move(accept)) {}

  std::unique_ptr<net::PendingConnect> connect(const net::Address& to, long long timeout_ms,
                                               net::ConnectHandler* handler) override;

 private:
  void established(net::ConnectHandler* handler);

  SimWorld& world_;
  SimLoop& loop_;
  SimLoop& upstream_;
  const Swarm& swarm_;
  Accept accept_;
  std::uint64_t connections_ = 0;
};

}  // namespace slipstream::sim
