#include "gates/world.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "config/load.h"
#include "http/write.h"

namespace slipstream::gates {

namespace {

config::Settings load(std::uint16_t upstream_port) {
  config::LoadInput input;
  input.flags = {{"upstream.url", "http://127.0.0.1:" + std::to_string(upstream_port)}};
  auto loaded = config::load(input);
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return loaded->settings;
}

upstream::ClientOptions client_options(const config::Settings& settings) {
  upstream::ClientOptions options;
  options.endpoint.host = settings.upstream.url.address.host;
  options.endpoint.port = std::to_string(settings.upstream.url.address.port);
  options.connections_max = settings.upstream.connections_max;
  return options;
}

std::unique_ptr<net::Listener> listen(net::Reactor& reactor, net::AcceptHandler& handler) {
  auto listening = net::Listener::open(reactor, {.address = "127.0.0.1:0"}, &handler);
  if (!listening) throw std::runtime_error(listening.error().message);
  return std::move(*listening);
}

}  // namespace

void CountingPort::wake(flight::FlightRef flight) {
  ++wakes_;
  to_.wake(std::move(flight));
}

struct World::Crew {
  Crew(World& world, flight::WorkerIndex index)
      : client(world.reactor_, world.connector_, client_options(world.shared_->settings)),
        worker(*world.shared_, index, world.reactor_, client,
               std::make_unique<SeededRandom>(index)),
        port(worker),
        listener(listen(world.reactor_, worker)),
        listens_at(static_cast<std::uint16_t>(
            *parse_decimal(net::split_host_port(listener->bound_address())->port))) {
    world.shared_->ports[index] = &port;
  }

  upstream::Client client;
  gateway::Worker worker;
  CountingPort port;
  std::unique_ptr<net::Listener> listener;
  std::uint16_t listens_at;
};

World::World(std::size_t workers) {
  telemetry::MetricsOptions metrics;
  metrics.workers = workers;
  metrics.label_values = gateway::metric_labels();
  metrics_ = std::make_unique<telemetry::Metrics>(std::move(metrics));
  shared_ = std::make_unique<gateway::Shared>(load(door_.port()), workers, *metrics_, log_, clock_);
  for (std::size_t i = 0; i < workers; ++i)
    crews_.push_back(std::make_unique<Crew>(*this, static_cast<flight::WorkerIndex>(i)));
  callers_.reserve(kPeersMax);
  upstream_.reserve(kPeersMax);
}

World::~World() {
  for (auto& crew : crews_) crew->worker.shut_down();
  bool reached = false;
  reactor_.post([&] { reactor_.post([&] { reached = true; }); });
  until([&] { return reached; });
}

Peer& World::add_caller(std::size_t worker) {
  return callers_.emplace_back(Peer::connect(crews_[worker]->listens_at));
}

void World::until_called(std::size_t count) {
  until([&] {
    for (int fd = door_.accept(); fd >= 0; fd = door_.accept()) upstream_.emplace_back(fd);
    return static_cast<std::size_t>(std::ranges::count_if(
               upstream_, [](Peer& peer) { return peer.has_read("}"); })) == count;
  });
}

void World::until_all_read(std::string_view end) {
  until([&] {
    return std::ranges::all_of(callers_, [&](Peer& peer) { return peer.has_read(end); });
  });
}

void World::until_followers(std::uint64_t count) {
  until([&] { return metrics_->total(telemetry::Counter::kFollowers) == count; });
}

std::uint64_t World::wakes() const {
  std::uint64_t sum = 0;
  for (const auto& crew : crews_) sum += crew->port.wakes();
  return sum;
}

std::string request_of(std::string_view body) {
  std::string out =
      "POST /v1/chat/completions HTTP/1.1\r\nhost: gateway.example\r\naccept: application/json\r\n"
      "content-type: application/json\r\nuser-agent: OpenAI/Python 1.99.0\r\n"
      "authorization: Bearer sk-0123456789abcdef\r\ncontent-length: ";
  append_decimal(out, body.size());
  out += "\r\n\r\n";
  return out.append(body);
}

std::string answer_of(std::string_view body) {
  std::string out = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ";
  append_decimal(out, body.size());
  out += "\r\n\r\n";
  return out.append(body);
}

std::string chunk_of(std::string_view events) {
  std::string out;
  http::append_chunk_head(out, events.size());
  out += events;
  out += http::kChunkTail;
  return out;
}

}  // namespace slipstream::gates
