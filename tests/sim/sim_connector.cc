#include "sim/sim_connector.h"

namespace slipstream::sim {

namespace {
struct Pending final : net::PendingConnect {
  explicit Pending(std::shared_ptr<bool> wanted) : wanted_(std::move(wanted)) {}
  ~Pending() override { *wanted_ = false; }
  std::shared_ptr<bool> wanted_;
};
}  // namespace

std::unique_ptr<net::PendingConnect> SimConnector::connect(const net::Address&,
                                                           long long timeout_ms,
                                                           net::ConnectHandler* handler) {
  const auto wanted = std::make_shared<bool>(true);
  auto when_wanted = [wanted](net::Task task) {
    return [wanted, task = std::move(task)] {
      // Called once; destroying the Pending from inside is allowed.
      if (*wanted) task();
    };
  };
  const std::uint64_t delay = swarm_.delays ? world_.below(4) : 0;
  if (swarm_.connect_faults && world_.chance(25)) {
    const bool times_out = world_.chance(40);
    const auto error = times_out ? net::ConnectError::kTimeout : net::ConnectError::kRefused;
    world_.note(times_out ? "connect will time out" : "connect will be refused");
    world_.after(milliseconds(times_out ? timeout_ms : static_cast<long long>(delay)), loop_,
                 when_wanted([handler, error] { handler->on_connect_failed(error); }));
    // Never from inside connect(): a delay of zero is a later turn.
    return std::make_unique<Pending>(wanted);
  }
  world_.after(milliseconds(delay), loop_, when_wanted([this, handler] { established(handler); }));
  return std::make_unique<Pending>(wanted);
}

void SimConnector::established(net::ConnectHandler* handler) {
  const std::uint64_t number =
      1000 * (static_cast<std::uint64_t>(loop_.index()) + 1) + connections_++;
  const LinkFaults up = draw_link(world_, swarm_);
  const LinkFaults down = draw_link(world_, swarm_);
  StreamPair pair = make_pair(world_, number, loop_, upstream_, {up, down});
  world_.note("connected", number);
  auto other = std::make_shared<std::unique_ptr<net::ByteStream>>(std::move(pair.other));
  world_.ready(upstream_, [this, other] { accept_(std::move(*other)); });
  handler->on_connected(std::move(pair.opener));
}

}  // namespace slipstream::sim
