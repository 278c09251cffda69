#include "gates/peer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

namespace slipstream::gates {

namespace {

constexpr int kBacklog = 4096;

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

}  // namespace

void need_descriptors(std::uint64_t count) {
  rlimit limit{};
  checked(getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
  if (limit.rlim_cur >= count) return;
  if (limit.rlim_max < count) throw std::runtime_error("needs ulimit -Hn " + std::to_string(count));
  limit.rlim_cur = count;
  checked(setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
}

Peer::Peer(int fd) : fd_(fd) {
  checked(fcntl(fd, F_SETFL, O_NONBLOCK), "fcntl");
}

Peer Peer::connect(std::uint16_t port) {
  Peer peer(checked(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  checked(fcntl(peer.fd_, F_SETFL, 0), "fcntl");
  const sockaddr_in to = loopback(port);
  checked(::connect(peer.fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to), "connect");
  checked(fcntl(peer.fd_, F_SETFL, O_NONBLOCK), "fcntl");
  return peer;
}

Peer::~Peer() {
  if (fd_ >= 0) ::close(fd_);
}

void Peer::write(std::string_view bytes) {
  const ssize_t sent = ::write(fd_, bytes.data(), bytes.size());
  if (sent != static_cast<ssize_t>(bytes.size())) throw std::runtime_error("short write");
}

bool Peer::has_read(std::string_view end) {
  static char buffer[64 * 1024];
  for (;;) {
    const ssize_t result = ::read(fd_, buffer, sizeof buffer);
    if (result == 0) throw std::runtime_error("the gateway closed the connection");
    if (result < 0) break;
    const auto got = static_cast<std::size_t>(result);
    const std::size_t fresh = std::min(got, kTailBytes);
    std::memmove(tail_.data(), tail_.data() + fresh, kTailBytes - fresh);
    std::memcpy(tail_.data() + kTailBytes - fresh, buffer + got - fresh, fresh);
  }
  return std::string_view(tail_.data(), kTailBytes).ends_with(end);
}

Door::Door()
    : fd_(checked(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket")) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  checked(bind(fd_, reinterpret_cast<const sockaddr*>(&address), size), "bind");
  checked(listen(fd_, kBacklog), "listen");
  checked(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
  port_ = ntohs(address.sin_port);
}

Door::~Door() {
  ::close(fd_);
}

int Door::accept() {
  return ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
}

}  // namespace slipstream::gates
