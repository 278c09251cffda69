#include "net/connector.h"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "net/socket.h"

namespace slipstream::net {

namespace asio = boost::asio;
using asio::ip::tcp;

std::string_view to_string(ConnectError error) {
  switch (error) {
    case ConnectError::kNone:
      return "none";
    case ConnectError::kResolve:
      return "resolve";
    case ConnectError::kRefused:
      return "refused";
    case ConnectError::kTimeout:
      return "timeout";
    case ConnectError::kUnreachable:
      return "unreachable";
    case ConnectError::kTls:
      return "tls";
  }
  return "unknown";
}

namespace {

class TcpConnect final : public PendingConnect, private Watched, private HandshakeHandler {
 public:
  TcpConnect(Reactor& reactor, const TlsContext* tls, const Address& to, Time deadline,
             ConnectHandler* handler)
      : reactor_(reactor), tls_(tls), to_(to), handler_(handler), timer_(reactor, [this] {
          fail(ConnectError::kTimeout);
        }) {
    timer_.set(deadline);
  }

  ~TcpConnect() override {
    if (resolver_) resolver_->cancel();
    drop_socket();
  }

  void start() {
    const auto port = parse_decimal(to_.port);
    if (!port || *port > 65535) return fail(ConnectError::kResolve);
    boost::system::error_code error;
    const auto address = asio::ip::make_address(to_.host, error);
    if (!error) {
      endpoints_.emplace_back(address, static_cast<unsigned short>(*port));
      // Not from inside connect(): the caller must hold the PendingConnect first.
      begin_ = std::make_unique<Timer>(reactor_, [this] { try_next(); });
      begin_->set(reactor_.now());
      return;
    }
    // Lifetime: the answer comes on another thread and is posted, so that it runs as a turn of the
    // loop; there `alive` tells whether this object is still here. The reactor outlives its posts.
    resolver_.emplace(reactor_.outside_context());
    resolver_->async_resolve(
        to_.host, to_.port,
        [this, alive = alive(), &reactor = reactor_](const boost::system::error_code& failed,
                                                     const tcp::resolver::results_type& found) {
          reactor.post([this, alive, failed, found] {
            if (alive.lock()) on_resolved(failed, found);
          });
        });
  }

 private:
  void on_resolved(const boost::system::error_code& failed,
                   const tcp::resolver::results_type& found) {
    if (failed) return fail(ConnectError::kResolve);
    for (const auto& entry : found) endpoints_.push_back(entry.endpoint());
    try_next();
  }

  void try_next() {
    if (!handler_) return;  // timed out meanwhile
    while (next_ < endpoints_.size()) {
      const tcp::endpoint& endpoint = endpoints_[next_++];
      fd_ = socket(endpoint.protocol().family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      if (fd_ < 0) continue;
      if (::connect(fd_, endpoint.data(), static_cast<socklen_t>(endpoint.size())) == 0 ||
          errno == EINPROGRESS) {
        peer_ = endpoint.address().to_string();
        token_ = reactor_.watch(fd_, this);
        return;
      }
      last_errno_ = errno;
      ::close(std::exchange(fd_, -1));
    }
    fail(last_errno_ == ECONNREFUSED ? ConnectError::kRefused : ConnectError::kUnreachable);
  }

  void on_events(std::uint32_t events) override {
    if (!(events & (EPOLLOUT | EPOLLERR | EPOLLHUP))) return;
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) {
      last_errno_ = error;
      drop_socket();
      return try_next();
    }
    // The descriptor may report EPOLLOUT|EPOLLHUP before connect() was even started by the kernel;
    // only a peer address proves the connection.
    sockaddr_storage peer{};
    socklen_t peer_size = sizeof peer;
    if (getpeername(fd_, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0) return;
    reactor_.unwatch(fd_, token_);
    auto connected = std::make_unique<Socket>(reactor_, std::exchange(fd_, -1), peer_);
    if (!to_.tls) return finish(std::move(connected));
    secured_ = TlsStream::connect(*tls_, std::move(connected), to_.host, this);
  }

  void on_handshake(Outcome outcome) override {
    if (outcome == Outcome::kFailed) return fail(ConnectError::kTls);
    finish(std::move(secured_));
  }

  void finish(std::unique_ptr<ByteStream> stream) {
    timer_.cancel();
    std::exchange(handler_, nullptr)->on_connected(std::move(stream));
  }

  // The handler may destroy this object, also while one of its own timers is calling: deferred.
  // Nothing of the attempt goes on meanwhile, so that there is one outcome only.
  void fail(ConnectError error) {
    if (!handler_) return;
    timer_.cancel();
    drop_socket();
    secured_.reset();
    reactor_.defer([alive = alive(), error, handler = std::exchange(handler_, nullptr)] {
      if (alive.lock()) handler->on_connect_failed(error);
    });
  }

  std::weak_ptr<char> alive() const { return alive_; }

  void drop_socket() {
    if (fd_ < 0) return;
    reactor_.unwatch(fd_, token_);
    ::close(std::exchange(fd_, -1));
  }

  Reactor& reactor_;
  const TlsContext* tls_;
  Address to_;
  ConnectHandler* handler_;  // null once there is an outcome
  std::shared_ptr<char> alive_ = std::make_shared<char>();
  std::optional<tcp::resolver> resolver_;
  std::vector<tcp::endpoint> endpoints_;
  std::size_t next_ = 0;
  int fd_ = -1;
  int last_errno_ = 0;
  std::uint64_t token_ = 0;
  std::string peer_;
  std::unique_ptr<TlsStream> secured_;
  std::unique_ptr<Timer> begin_;
  Timer timer_;
};

}  // namespace

std::unique_ptr<PendingConnect> TcpConnector::connect(const Address& to, long long timeout_ms,
                                                      ConnectHandler* handler) {
  auto pending = std::make_unique<TcpConnect>(reactor_, tls_, to,
                                              reactor_.now() + milliseconds(timeout_ms), handler);
  pending->start();
  return pending;
}

}  // namespace slipstream::net
