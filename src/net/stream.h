// The five operations everything above net/ knows of a connection: read now, gather-write now, hear
// when readable, hear when writable, close. A socket, a TLS connection and the simulated stream
// implement the same five.
//
// Thread rule: a stream belongs to the loop it was made on; all calls and callbacks happen there.
// Readiness is edge-like: on_readable() is called after a read() returned kWouldBlock (or before
// the first read) and more can be read; the handler may stop reading at any time and simply call
// read() again later. on_writable() is called after a write() took less than offered. Both may be
// spurious. No callback comes after close(); no callback is made from inside read(), write() or
// set_handler().
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace slipstream::net {

enum class IoStatus {
  kOk,
  kWouldBlock,
  kEof,    // read: the peer finished sending
  kError,  // reset or any other failure: only close() is left to do
};

struct IoResult {
  IoStatus status = IoStatus::kOk;
  std::size_t bytes = 0;  // moved by this call; may be above zero only with kOk
};

class StreamHandler {
 public:
  virtual void on_readable() = 0;
  virtual void on_writable() = 0;

 protected:
  ~StreamHandler() = default;
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;  // closes

  virtual void set_handler(StreamHandler* handler) = 0;
  // Precondition: `into` is not empty.
  virtual IoResult read(std::span<char> into) = 0;
  // Precondition: at most IOV_MAX (1024) pieces. Taken bytes have left for the kernel. After a
  // short write the next write begins with the bytes that were not taken.
  virtual IoResult write(std::span<const iovec> pieces) = 0;
  // Graceful: what was written is still delivered. Idempotent.
  virtual void close() = 0;
  // Half close: tells the peer that nothing more comes, reading goes on (lingering close after an
  // early error, RFC 9112 section 9.6).
  virtual void shutdown_write() = 0;
  // Abort: the peer sees a reset, so that a broken answer cannot look complete.
  virtual void reset() = 0;
  virtual std::string_view peer_address() const = 0;  // numeric, without port

  IoResult write(std::string_view bytes) {
    const iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
    return write(std::span<const iovec>(&piece, 1));
  }
};

// Why a connection could not be made.
enum class ConnectError { kNone, kResolve, kRefused, kTimeout, kUnreachable, kTls };
std::string_view to_string(ConnectError error);

// Called once. Never from inside connect().
class ConnectHandler {
 public:
  virtual void on_connected(std::unique_ptr<ByteStream> stream) = 0;
  virtual void on_connect_failed(ConnectError error) = 0;

 protected:
  ~ConnectHandler() = default;
};

struct Address {
  std::string host;
  std::string port;
  bool tls = false;
};

// One outstanding connect: destroying it cancels, and then no callback comes.
class PendingConnect {
 public:
  virtual ~PendingConnect() = default;
};

class Connector {
 public:
  virtual ~Connector() = default;
  // `timeout_ms` covers resolution, TCP and TLS together.
  virtual std::unique_ptr<PendingConnect> connect(const Address& to, long long timeout_ms,
                                                  ConnectHandler* handler) = 0;
};

// New connections of a listener, delivered on the loop's thread.
class AcceptHandler {
 public:
  virtual void on_accepted(std::unique_ptr<ByteStream> stream) = 0;

 protected:
  ~AcceptHandler() = default;
};

}  // namespace slipstream::net
