// A connected TCP socket as ByteStream, and listening sockets.
// Thread rule: the reactor's thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/reactor.h"
#include "net/stream.h"

namespace slipstream::net {

class Socket final : public ByteStream, private Watched {
 public:
  // Takes over a connected, non-blocking descriptor.
  Socket(Reactor& reactor, int fd, std::string peer_address);
  ~Socket() override { close(); }

  void set_handler(StreamHandler* handler) override { handler_ = handler; }
  IoResult read(std::span<char> into) override;
  using ByteStream::write;
  IoResult write(std::span<const iovec> pieces) override;
  void close() override;
  void shutdown_write() override;
  void reset() override;
  std::string_view peer_address() const override { return peer_address_; }

 private:
  void on_events(std::uint32_t events) override;

  Reactor& reactor_;
  StreamHandler* handler_ = nullptr;
  int fd_;
  std::uint64_t token_;
  // An edge was seen since the last read that drained the socket.
  bool readable_ = true;
  // FIN or reset was announced: a short read does not mean "drained", read on until the end.
  bool hung_up_ = false;
  bool write_blocked_ = false;
  std::string peer_address_;
};

struct ListenOptions {
  std::string address;        // "127.0.0.1:8080", "[::1]:0"
  int send_buffer_bytes = 0;  // 0 = the system's; bounded so that slow readers are noticed
  // SO_REUSEPORT would let a second gateway of the same user take the port silently. The first
  // worker asks for proof that nobody listens there, the others share with it.
  enum class Port { kMustBeFree, kShared } port = Port::kMustBeFree;
};

// Why listening failed, as one line for the operator ("cannot listen on ...: address in use").
struct ListenError {
  std::string message;
};

// Accepts with SO_REUSEPORT, so that each worker has its own queue on the same port.
class Listener final : private Watched {
 public:
  static Result<std::unique_ptr<Listener>, ListenError> open(Reactor& reactor,
                                                             const ListenOptions& options,
                                                             AcceptHandler* handler);
  ~Listener() { close(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // With the port the system chose, if port 0 was asked for.
  const std::string& bound_address() const { return bound_address_; }
  void close();

 private:
  Listener(Reactor& reactor, int fd, std::string bound, AcceptHandler* handler);
  void on_events(std::uint32_t events) override;
  void accept_some();

  static constexpr int kAcceptsPerTurn = 64;

  Reactor& reactor_;
  AcceptHandler* handler_;
  int fd_;
  std::uint64_t token_;
  std::string bound_address_;
  Timer retry_;  // out of descriptors: try again a little later
};

// Splits "host:port" or "[v6]:port"; nothing when malformed.
struct HostPort {
  std::string host;
  std::string port;
};
Result<HostPort, ListenError> split_host_port(std::string_view text);

}  // namespace slipstream::net
