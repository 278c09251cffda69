// The far ends of the gateway's connections: callers and the upstream, on loopback, in the test.
//
// They ask the system by read and write only, which gates/counts.h does not count, and take no
// memory, so that they can be polled while the gateway is measured.
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace slipstream::gates {

// Makes room for `count` open descriptors. Throws if the system does not let this process have
// them.
void need_descriptors(std::uint64_t count);

class Peer {
 public:
  explicit Peer(int fd);  // takes over a connected descriptor
  static Peer connect(std::uint16_t port);
  Peer(Peer&& other) noexcept : fd_(std::exchange(other.fd_, -1)), tail_(other.tail_) {}
  Peer& operator=(Peer&&) = delete;
  ~Peer();

  // In one piece. Throws if the kernel does not take it whole.
  void write(std::string_view bytes);
  // Reads what is there. True once the last bytes that came since forget() are `end`, at most
  // kTailBytes long.
  bool has_read(std::string_view end);
  void forget() { tail_.fill('\0'); }

  static constexpr std::size_t kTailBytes = 32;

 private:
  int fd_;
  std::array<char, kTailBytes> tail_{};
};

// A listening socket that accepts without waiting.
class Door {
 public:
  Door();
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  std::uint16_t port() const { return port_; }
  int accept();  // a descriptor, or -1 if nobody waits

 private:
  int fd_;
  std::uint16_t port_ = 0;
};

}  // namespace slipstream::gates
