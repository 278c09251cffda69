#include "net/socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "base/check.h"
#include "base/text.h"

namespace slipstream::net {

namespace {

constexpr int kBacklog = 4096;

std::string numeric_address(const sockaddr_storage& storage, std::uint16_t* port) {
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    *port = ntohs(v6.sin6_port);
  } else if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    *port = ntohs(v4.sin_port);
  }
  return text;
}

std::string with_port(const sockaddr_storage& storage) {
  std::uint16_t port = 0;
  std::string text = numeric_address(storage, &port);
  if (storage.ss_family == AF_INET6) text = "[" + text + "]";
  text += ':';
  append_decimal(text, port);
  return text;
}

void set_option(int fd, int level, int name, int value) {
  setsockopt(fd, level, name, &value, sizeof value);
}

// A head and a short body are copied together for less than the kernel takes to look at two pieces.
constexpr std::size_t kJoinedBytesMax = 4096;

ssize_t send_pieces(int fd, std::span<const iovec> pieces, std::size_t bytes) {
  if (pieces.size() == 1) return send(fd, pieces[0].iov_base, bytes, MSG_NOSIGNAL);
  if (bytes <= kJoinedBytesMax) {
    [[clang::uninitialized]] std::array<char, kJoinedBytesMax> joined;
    char* end = joined.data();
    for (const iovec& piece : pieces) {
      std::memcpy(end, piece.iov_base, piece.iov_len);
      end += piece.iov_len;
    }
    return send(fd, joined.data(), bytes, MSG_NOSIGNAL);
  }
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces.data());
  message.msg_iovlen = pieces.size();
  return sendmsg(fd, &message, MSG_NOSIGNAL);
}

}  // namespace

Socket::Socket(Reactor& reactor, int fd, std::string peer_address)
    : reactor_(reactor),
      fd_(fd),
      token_(reactor.watch(fd, this)),
      peer_address_(std::move(peer_address)) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}

IoResult Socket::read(std::span<char> into) {
  if (fd_ < 0) return {IoStatus::kError, 0};
  if (!readable_) return {IoStatus::kWouldBlock, 0};
  const ssize_t got = recv(fd_, into.data(), into.size(), 0);
  if (got > 0) {
    // Anything that comes later makes a new edge, so a short read saves the call that would fail.
    if (static_cast<std::size_t>(got) < into.size() && !hung_up_) readable_ = false;
    return {IoStatus::kOk, static_cast<std::size_t>(got)};
  }
  if (got == 0) return {IoStatus::kEof, 0};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
    readable_ = false;
    return {IoStatus::kWouldBlock, 0};
  }
  return {IoStatus::kError, 0};
}

IoResult Socket::write(std::span<const iovec> pieces) {
  if (fd_ < 0) return {IoStatus::kError, 0};
  SLIP_CHECK(pieces.size() <= IOV_MAX);
  std::size_t offered = 0;
  for (const iovec& piece : pieces) offered += piece.iov_len;
  const ssize_t sent = send_pieces(fd_, pieces, offered);
  if (sent >= 0) {
    if (static_cast<std::size_t>(sent) < offered) write_blocked_ = true;
    return {IoStatus::kOk, static_cast<std::size_t>(sent)};
  }
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
    write_blocked_ = true;
    return {IoStatus::kWouldBlock, 0};
  }
  return {IoStatus::kError, 0};
}

void Socket::on_events(std::uint32_t events) {
  if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) hung_up_ = true;
  const bool writable = write_blocked_ && (events & (EPOLLOUT | EPOLLHUP | EPOLLERR));
  if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) readable_ = true;
  const std::uint64_t token = token_;
  Reactor& reactor = reactor_;
  if (writable) {
    write_blocked_ = false;
    if (handler_) handler_->on_writable();
  }
  // The handler may have closed or destroyed this stream: the slot knows.
  if (!reactor.is_watched(token) || !readable_) return;
  if (handler_ && (events & ~static_cast<std::uint32_t>(EPOLLOUT))) handler_->on_readable();
}

void Socket::close() {
  if (fd_ < 0) return;
  reactor_.unwatch(fd_, token_);
  ::close(fd_);
  fd_ = -1;
}

void Socket::shutdown_write() {
  if (fd_ >= 0) shutdown(fd_, SHUT_WR);
}

void Socket::reset() {
  if (fd_ < 0) return;
  const linger abort{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
  close();
}

Result<HostPort, ListenError> split_host_port(std::string_view text) {
  HostPort parts;
  std::string_view rest = text;
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos)
      return Failure{ListenError{"missing ']' in " + std::string(text)}};
    parts.host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  } else {
    const std::size_t colon = rest.rfind(':');
    parts.host = rest.substr(0, colon);
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon);
  }
  const auto port = rest.starts_with(':') ? parse_decimal(rest.substr(1)) : std::nullopt;
  if (parts.host.empty() || !port || *port > 65535) {
    return Failure{ListenError{"'" + std::string(text) + "' is not HOST:PORT"}};
  }
  parts.port = rest.substr(1);
  return parts;
}

namespace {

// A listening descriptor on one address, or -1 with errno set.
int listen_on(const addrinfo& address, const ListenOptions& options, ListenOptions::Port port) {
  const int fd = socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  if (port == ListenOptions::Port::kShared) set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1);
  // Inherited by accepted sockets: must be set before listen().
  if (options.send_buffer_bytes > 0)
    set_option(fd, SOL_SOCKET, SO_SNDBUF, options.send_buffer_bytes);
  if (bind(fd, address.ai_addr, address.ai_addrlen) == 0 && listen(fd, kBacklog) == 0) return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

// The first address that can be bound, as a listening descriptor, or the reason why none can.
Result<int, ListenError> bind_and_listen(const ListenOptions& options) {
  auto parts = split_host_port(options.address);
  if (!parts) return Failure{ListenError{"cannot listen: " + parts.error().message}};
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(parts->host.c_str(), parts->port.c_str(), &hints, &found)) {
    return Failure{ListenError{"cannot listen on " + options.address + ": " + gai_strerror(error)}};
  }
  int fd = -1;
  for (const addrinfo* at = found; at && fd < 0; at = at->ai_next) {
    if (options.port == ListenOptions::Port::kMustBeFree) {
      const int probe = listen_on(*at, options, ListenOptions::Port::kMustBeFree);
      if (probe < 0) continue;
      ::close(probe);
    }
    fd = listen_on(*at, options, ListenOptions::Port::kShared);
  }
  const int last_error = errno;
  freeaddrinfo(found);
  if (fd < 0) {
    return Failure{
        ListenError{"cannot listen on " + options.address + ": " + std::strerror(last_error)}};
  }
  return fd;
}

}  // namespace

Result<std::unique_ptr<Listener>, ListenError> Listener::open(Reactor& reactor,
                                                              const ListenOptions& options,
                                                              AcceptHandler* handler) {
  auto fd = bind_and_listen(options);
  if (!fd) return Failure{fd.error()};
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  getsockname(*fd, reinterpret_cast<sockaddr*>(&bound), &length);
  return std::unique_ptr<Listener>(new Listener(reactor, *fd, with_port(bound), handler));
}

Listener::Listener(Reactor& reactor, int fd, std::string bound, AcceptHandler* handler)
    : reactor_(reactor),
      handler_(handler),
      fd_(fd),
      token_(reactor.watch(fd, this)),
      bound_address_(std::move(bound)),
      retry_(reactor, [this] { accept_some(); }) {}

void Listener::close() {
  if (fd_ < 0) return;
  retry_.cancel();
  reactor_.unwatch(fd_, token_);
  ::close(fd_);
  fd_ = -1;
}

void Listener::on_events(std::uint32_t) {
  accept_some();
}

void Listener::accept_some() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    if (fd_ < 0) return;
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    const int fd =
        accept4(fd_, reinterpret_cast<sockaddr*>(&peer), &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno == ECONNABORTED || errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) retry_.set(reactor_.now() + milliseconds(50));
      return;
    }
    std::uint16_t port = 0;
    handler_->on_accepted(std::make_unique<Socket>(reactor_, fd, numeric_address(peer, &port)));
  }
  // More may be waiting, but others want their turn; no new edge will come for what is queued.
  retry_.set(reactor_.now());
}

}  // namespace slipstream::net
