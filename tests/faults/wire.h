// One TCP connection on loopback, driven by the test: every byte, flush, FIN and RST is an order.
//
// Nothing sleeps: waiting means waiting for an event, and whatever does not happen within kPatience
// throws, which fails the test with the event's name.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace slipstream::faults {

inline constexpr Duration kPatience = seconds(20);

// Returns once `condition` holds; throws std::runtime_error naming `what` after kPatience.
void wait_until(const std::function<bool()>& condition, std::string_view what);
Time now();

class Wire {
 public:
  explicit Wire(int fd);
  // `receive_buffer`: SO_RCVBUF in bytes, 0 = the system's; bounds what the kernel takes unread.
  static Wire connect(std::uint16_t port, int receive_buffer = 0);
  Wire(Wire&& other) noexcept;
  Wire& operator=(Wire&&) = delete;
  ~Wire() { close(); }

  // False once the peer is gone. Blocks while the peer does not read.
  bool send(std::string_view bytes);
  // Returns when the gateway has read every byte sent so far, or closed the connection. The gateway
  // lives in this process, so its end of the connection is one of our own descriptors.
  void flush();

  enum class Got { kBytes, kNothing, kFin, kReset };
  // Appends what is there to `into`; kNothing after `wait` without news.
  Got read(std::string& into, Duration wait = kPatience);
  // The peer has closed or reset; bytes before that are read and thrown away.
  bool peer_left(Duration wait);

  void fin();    // half close
  void reset();  // RST, not FIN
  void close();
  bool open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  std::uint64_t bytes_sent() const { return sent_; }

 private:
  bool gateway_has_read_all();

  int fd_ = -1;
  int gateway_fd_ = -1;
  std::uint64_t sent_ = 0;
};

}  // namespace slipstream::faults
