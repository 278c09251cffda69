// TLS (OpenSSL 3) as a ByteStream over another ByteStream.
// Thread rule: contexts are shared by all workers after construction; a TlsStream belongs to its
// loop.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "net/stream.h"

typedef struct ssl_ctx_st SSL_CTX;

namespace slipstream::net {

struct TlsError {
  std::string message;  // one line for the operator
};

// Certificates and options of one side. TLS 1.2 and newer, ALPN http/1.1.
class TlsContext {
 public:
  // For callers: a PEM certificate chain and its key.
  static Result<std::unique_ptr<TlsContext>, TlsError> server(const std::string& certificate_file,
                                                              const std::string& key_file);
  enum class Verify { kPeer, kNothing };
  // For the upstream: `ca_file` empty = the system's trust store.
  static Result<std::unique_ptr<TlsContext>, TlsError> client(const std::string& ca_file,
                                                              Verify verify);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  SSL_CTX* native() const { return context_; }

 private:
  explicit TlsContext(SSL_CTX* context) : context_(context) {}
  SSL_CTX* context_;
};

// Called once when a client's handshake is over. The stream may be destroyed from inside.
class HandshakeHandler {
 public:
  enum class Outcome { kDone, kFailed };
  virtual void on_handshake(Outcome outcome) = 0;

 protected:
  ~HandshakeHandler() = default;
};

class TlsStream final : public ByteStream, private StreamHandler {
 public:
  // The handshake happens on its own inside the first reads.
  static std::unique_ptr<TlsStream> accept(const TlsContext& context,
                                           std::unique_ptr<ByteStream> below);
  // Starts the handshake; `handler` hears once how it went, never from inside connect().
  static std::unique_ptr<TlsStream> connect(const TlsContext& context,
                                            std::unique_ptr<ByteStream> below,
                                            const std::string& host, HandshakeHandler* handler);
  ~TlsStream() override;

  void set_handler(StreamHandler* handler) override { handler_ = handler; }
  IoResult read(std::span<char> into) override;
  using ByteStream::write;
  IoResult write(std::span<const iovec> pieces) override;
  void close() override;
  void shutdown_write() override;
  void reset() override;
  std::string_view peer_address() const override { return below_->peer_address(); }

 private:
  struct Session;
  TlsStream(std::unique_ptr<Session> session, std::unique_ptr<ByteStream> below);

  void on_readable() override;
  void on_writable() override;
  void continue_handshake();
  // Moves ciphertext: from below_ into the session, from the session to below_.
  IoStatus pull();
  IoStatus push();

  std::unique_ptr<Session> session_;
  std::unique_ptr<ByteStream> below_;
  StreamHandler* handler_ = nullptr;
  HandshakeHandler* handshake_handler_ = nullptr;
  // Ciphertext that below_ has not taken yet; plaintext is accepted only while it is empty.
  std::string pending_;
  // Plaintext inside pending_ that write() has not reported as taken: so close() loses nothing that
  // the caller believes written. Skipped when the caller offers it again.
  std::size_t owed_ = 0;
  bool write_blocked_ = false;
  bool* destroyed_ = nullptr;  // where a running callback wants to hear of the destructor
};

}  // namespace slipstream::net
