#include "gateway/server.h"

#include <algorithm>

#include "config/scalar.h"
#include "gateway/endpoint.h"
#include "gateway/prober.h"
#include "gateway/worker.h"
#include "net/connector.h"
#include "upstream/client.h"

namespace slipstream::gateway {

namespace {

constexpr milliseconds kDrainPoll{20};
// An upstream that does not answer does not keep the gateway from starting.
constexpr milliseconds kFirstLookMax{2000};

}  // namespace

struct Server::Crew final : net::AcceptHandler {
  Crew(Shared& shared, flight::WorkerIndex index, AddressLimit* limit,
       const net::TlsContext* callers, const net::TlsContext* to_upstream)
      : reactor(shared.clock),
        connector(reactor, to_upstream),
        client(reactor, connector, client_options(shared.settings)),
        worker(shared, index, reactor, client, std::make_unique<SeededRandom>(system_seed())),
        drain_poll(reactor, [this] { poll_drain(); }),
        address_limit(limit),
        caller_tls(callers) {}

  void on_accepted(std::unique_ptr<net::ByteStream> stream) override {
    if (address_limit) {
      std::string caller = AddressLimit::caller_of(stream->peer_address());
      if (address_limit->enter(caller) == AddressLimit::Entry::kFull) {
        worker.count_refusal(RefusedBecause::kConnectionsPerAddress);
        return stream->reset();
      }
      stream = counted(std::move(stream), *address_limit, std::move(caller));
    }
    if (caller_tls) stream = net::TlsStream::accept(*caller_tls, std::move(stream));
    worker.on_accepted(std::move(stream));
  }

  void drain() {
    if (drain_until != kNever) return;
    listener->close();
    worker.drain();
    drain_until = reactor.now() + worker.shared().settings.drain.timeout;
    poll_drain();
  }

  void poll_drain() {
    if (!worker.idle() && reactor.now() < drain_until)
      return drain_poll.set(reactor.now() + kDrainPoll);
    stop();
  }

  void stop() {
    listener->close();
    if (prober) prober->stop();
    worker.shut_down();
    // What the sessions sent last leaves with this turn; the loop ends after it.
    reactor.defer([this] { reactor.stop(); });
  }

  net::Reactor reactor;
  net::TcpConnector connector;
  upstream::Client client;
  Worker worker;
  std::unique_ptr<Prober> prober;  // of the first crew
  net::Timer drain_poll;
  AddressLimit* address_limit;  // null: off
  const net::TlsContext* caller_tls;
  std::unique_ptr<net::Listener> listener;
  Time drain_until = kNever;
  std::thread thread;
};

Server::Server() = default;

Server::~Server() {
  stop();
  join();
}

std::size_t Server::worker_count(const config::Settings& settings) {
  const std::size_t wanted =
      settings.workers ? settings.workers : std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(wanted, 1, flight::kWorkersMax);
}

Result<std::unique_ptr<Server>, StartError> Server::create(const config::Settings& settings,
                                                           telemetry::Metrics& metrics,
                                                           telemetry::Log& log,
                                                           const Clock& clock) {
  std::unique_ptr<Server> server(new Server());
  if (!settings.tls.certificate.empty()) {
    auto context = net::TlsContext::server(settings.tls.certificate, settings.tls.key);
    if (!context) return Failure{StartError{context.error().message}};
    server->caller_tls_ = std::move(*context);
  }
  auto to_upstream = upstream_tls(settings);
  if (!to_upstream) return Failure{StartError{to_upstream.error().message}};
  server->upstream_tls_ = std::move(*to_upstream);
  const std::size_t count = worker_count(settings);
  server->shared_ = std::make_unique<Shared>(settings, count, metrics, log, clock);
  if (settings.limits.connections_per_address)
    server->address_limit_ =
        std::make_unique<AddressLimit>(settings.limits.connections_per_address);
  server->address_ = config::format_address(settings.listen);
  for (std::size_t i = 0; i < count; ++i) {
    server->crews_.push_back(std::make_unique<Crew>(
        *server->shared_, static_cast<flight::WorkerIndex>(i), server->address_limit_.get(),
        server->caller_tls_.get(), server->upstream_tls_.get()));
    net::ListenOptions listen;
    listen.address = server->address_;
    listen.send_buffer_bytes = static_cast<int>(settings.limits.send_buffer_bytes);
    listen.port =
        i == 0 ? net::ListenOptions::Port::kMustBeFree : net::ListenOptions::Port::kShared;
    auto listener =
        net::Listener::open(server->crews_[i]->reactor, listen, server->crews_[i].get());
    if (!listener) return Failure{StartError{listener.error().message}};
    server->crews_[i]->listener = std::move(*listener);
    server->address_ = server->crews_[i]->listener->bound_address();
  }
  return server;
}

void Server::start() {
  Crew& first = *crews_.front();
  started_at_ = shared_->clock.now();
  first.prober = std::make_unique<Prober>(first.worker, [this] { first_look_.set_value(); });
  shared_->wake_prober = [&first] {
    first.reactor.post([&prober = *first.prober] { prober.probe_soon(); });
  };
  first.reactor.post([&prober = *first.prober] { prober.start(); });
  for (auto& crew : crews_) {
    crew->thread = std::thread([&reactor = crew->reactor] { reactor.run(); });
  }
}

std::string_view Server::not_ready() const {
  if (shared_->draining.load(std::memory_order_relaxed)) return "draining";
  const bool looked = first_look_over_.wait_for(milliseconds(0)) == std::future_status::ready;
  const bool waited = shared_->clock.now() - started_at_ >= kFirstLookMax;
  return looked || waited ? "" : "starting";
}

void Server::wait_first_look() const {
  first_look_over_.wait_for(kFirstLookMax);
}

void Server::drain() {
  shared_->draining.store(true, std::memory_order_relaxed);
  for (auto& crew : crews_) crew->reactor.post([at = crew.get()] { at->drain(); });
}

void Server::stop() {
  if (!shared_) return;
  shared_->draining.store(true, std::memory_order_relaxed);
  for (auto& crew : crews_) crew->reactor.post([at = crew.get()] { at->stop(); });
}

void Server::join() {
  for (auto& crew : crews_) {
    if (crew->thread.joinable()) crew->thread.join();
  }
}

namespace {
template <typename Crews, typename Read>
std::uint64_t sum(const Crews& crews, Read read) {
  std::uint64_t total = 0;
  for (const auto& crew : crews) total += read(*crew);
  return total;
}
}  // namespace

std::uint64_t Server::live_flights() const {
  return sum(crews_, [](const Crew& crew) { return crew.worker.live_flights(); });
}
std::uint64_t Server::live_subscribers() const {
  return sum(crews_, [](const Crew& crew) { return crew.worker.live_subscribers(); });
}
std::uint64_t Server::idle_upstream_connections() const {
  return sum(crews_, [](const Crew& crew) { return crew.client.idle_connections(); });
}
std::uint64_t Server::busy_upstream_connections() const {
  return sum(crews_, [](const Crew& crew) { return crew.client.busy_connections(); });
}

}  // namespace slipstream::gateway
