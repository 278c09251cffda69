#include "upstream/client.h"

#include "upstream/connection.h"
#include "upstream/http_attempt.h"

namespace slipstream::upstream {

namespace {
constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::size_t kHeadsKept = 64;
}  // namespace

Client::Client(net::Loop& loop, net::Connector& connector, const ClientOptions& options)
    : loop_(loop),
      connector_(connector),
      options_(options),
      expiry_(loop, [this] { close_expired(); }),
      buffer_(kReadBytes) {}

Client::~Client() = default;

std::unique_ptr<Attempt> Client::start(Call call, AttemptHandler* handler) {
  auto attempt = std::make_unique<HttpAttempt>(*this, std::move(call), handler);
  attempt->start();
  return attempt;
}

std::unique_ptr<Connection> Client::take_idle() {
  if (idle_.empty()) return nullptr;
  auto connection = std::move(idle_.back().connection);
  idle_.pop_back();
  update_gauges();
  return connection;
}

void Client::give_back(std::unique_ptr<Connection> connection) {
  if (idle_.size() >= options_.idle_max) {
    connection->close();
    // It may be the caller: destroyed after the batch.
    return loop_.defer([keep = std::shared_ptr<Connection>(std::move(connection))] {});
  }
  idle_.push_back({std::move(connection), loop_.now()});
  if (expiry_.deadline() == kNever) expiry_.set(loop_.now() + milliseconds(options_.idle_ms));
  update_gauges();
}

void Client::drop_idle(Connection* connection) {
  for (std::size_t i = 0; i < idle_.size(); ++i) {
    if (idle_[i].connection.get() != connection) continue;
    std::shared_ptr<Connection> keep = std::move(idle_[i].connection);
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
    keep->close();
    loop_.defer([keep] {});
    break;
  }
  update_gauges();
}

void Client::close_expired() {
  const Time limit = loop_.now() - milliseconds(options_.idle_ms);
  std::size_t expired = 0;
  while (expired < idle_.size() && idle_[expired].since <= limit) ++expired;
  idle_.erase(idle_.begin(), idle_.begin() + static_cast<std::ptrdiff_t>(expired));
  if (!idle_.empty()) expiry_.set(idle_.front().since + milliseconds(options_.idle_ms));
  update_gauges();
}

void Client::lend_head(http::Parser& parser) {
  if (heads_.empty()) return;
  parser.swap_head(heads_.back());
  heads_.pop_back();
}

void Client::take_back_head(http::Parser& parser) {
  http::Head head;
  parser.swap_head(head);
  if (heads_.size() < kHeadsKept) heads_.push_back(std::move(head));
}

void Client::update_gauges() {
  idle_count_.store(idle_.size(), std::memory_order_relaxed);
  busy_count_.store(busy_, std::memory_order_relaxed);
}

}  // namespace slipstream::upstream
