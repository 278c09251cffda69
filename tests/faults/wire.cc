#include "faults/wire.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <utility>

namespace slipstream::faults {

namespace {

constexpr int kDescriptorsMax = 4096;

bool same(const sockaddr_in& a, const sockaddr_in& b) {
  return a.sin_port == b.sin_port && a.sin_addr.s_addr == b.sin_addr.s_addr;
}

template <typename Name>
bool name_of(Name name, int fd, sockaddr_in& into) {
  socklen_t size = sizeof into;
  return name(fd, reinterpret_cast<sockaddr*>(&into), &size) == 0 && into.sin_family == AF_INET;
}

// True if `fd` is the other end of the connection that `own` is one end of.
bool is_other_end(int own, int fd) {
  sockaddr_in own_name{};
  sockaddr_in own_peer{};
  sockaddr_in name{};
  sockaddr_in peer{};
  return name_of(getsockname, own, own_name) && name_of(getpeername, own, own_peer) &&
         name_of(getsockname, fd, name) && name_of(getpeername, fd, peer) && same(own_name, peer) &&
         same(own_peer, name);
}

bool wait_for(int fd, short events, Duration wait) {
  pollfd entry{fd, events, 0};
  return ::poll(&entry, 1, static_cast<int>(to_ms(wait))) > 0;
}

}  // namespace

Time now() {
  return SystemClock().now();
}

void wait_until(const std::function<bool()>& condition, std::string_view what) {
  const Time give_up = now() + kPatience;
  for (int tries = 0; !condition(); ++tries) {
    if (now() > give_up) throw std::runtime_error("waited in vain for " + std::string(what));
    if (tries < 100) {
      sched_yield();
    } else {
      ::poll(nullptr, 0, 1);  // look again soon; the condition decides, not the time
    }
  }
}

Wire::Wire(int fd) : fd_(fd) {
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Wire::Wire(Wire&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), gateway_fd_(other.gateway_fd_), sent_(other.sent_) {}

Wire Wire::connect(std::uint16_t port, int receive_buffer) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer > 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Wire wire(fd);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
    throw std::runtime_error("cannot connect to the gateway");
  return wire;
}

bool Wire::send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!wait_for(fd_, POLLOUT, kPatience)) throw std::runtime_error("the peer reads nothing");
    const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n < 0) return false;
    sent_ += static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool Wire::gateway_has_read_all() {
  if (gateway_fd_ < 0) {
    for (int fd = 3; fd < kDescriptorsMax && gateway_fd_ < 0; ++fd) {
      if (is_other_end(fd_, fd)) gateway_fd_ = fd;
    }
    if (gateway_fd_ < 0) return false;  // not accepted yet
  }
  if (!is_other_end(fd_, gateway_fd_)) return true;
  tcp_info info{};
  socklen_t size = sizeof info;
  getsockopt(gateway_fd_, IPPROTO_TCP, TCP_INFO, &info, &size);
  int unread = 0;
  ioctl(gateway_fd_, FIONREAD, &unread);
  return info.tcpi_bytes_received >= sent_ && unread == 0;
}

void Wire::flush() {
  wait_until([this] { return gateway_has_read_all(); }, "the gateway to read");
}

Wire::Got Wire::read(std::string& into, Duration wait) {
  if (!wait_for(fd_, POLLIN, wait)) return Got::kNothing;
  char buffer[64 * 1024];
  const ssize_t n = ::recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR ? Got::kNothing : Got::kReset;
  if (n == 0) return Got::kFin;
  into.append(buffer, static_cast<std::size_t>(n));
  return Got::kBytes;
}

bool Wire::peer_left(Duration wait) {
  const Time give_up = now() + wait;
  std::string ignored;
  for (;;) {
    const Got got = read(ignored, std::max<Duration>(give_up - now(), Duration::zero()));
    if (got == Got::kFin || got == Got::kReset) return true;
    if (got == Got::kNothing && now() >= give_up) return false;
  }
}

void Wire::fin() {
  ::shutdown(fd_, SHUT_WR);
}

void Wire::reset() {
  const linger abort{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
  close();
}

void Wire::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace slipstream::faults
