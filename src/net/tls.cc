#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace slipstream::net {

namespace {

std::string last_error(const std::string& what) {
  char text[256];
  ERR_error_string_n(ERR_peek_last_error(), text, sizeof text);
  ERR_clear_error();
  return what + ": " + text;
}

constexpr unsigned char kAlpn[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

int select_alpn(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                unsigned in_size, void*) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kAlpn, sizeof kAlpn, in, in_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

SSL_CTX* make_context(const SSL_METHOD* method) {
  SSL_CTX* context = SSL_CTX_new(method);
  if (!context) return nullptr;
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  return context;
}

}  // namespace

TlsContext::~TlsContext() {
  SSL_CTX_free(context_);
}

Result<std::unique_ptr<TlsContext>, TlsError> TlsContext::server(
    const std::string& certificate_file, const std::string& key_file) {
  std::unique_ptr<TlsContext> context(new TlsContext(make_context(TLS_server_method())));
  if (!context->native()) return Failure{TlsError{last_error("cannot set up TLS")}};
  if (SSL_CTX_use_certificate_chain_file(context->native(), certificate_file.c_str()) != 1) {
    return Failure{TlsError{last_error("cannot read the certificate " + certificate_file)}};
  }
  if (SSL_CTX_use_PrivateKey_file(context->native(), key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Failure{TlsError{last_error("cannot use the key " + key_file)}};
  }
  SSL_CTX_set_alpn_select_cb(context->native(), select_alpn, nullptr);
  return context;
}

Result<std::unique_ptr<TlsContext>, TlsError> TlsContext::client(const std::string& ca_file,
                                                                 Verify verify) {
  std::unique_ptr<TlsContext> context(new TlsContext(make_context(TLS_client_method())));
  if (!context->native()) return Failure{TlsError{last_error("cannot set up TLS")}};
  const int loaded =
      ca_file.empty() ? SSL_CTX_set_default_verify_paths(context->native())
                      : SSL_CTX_load_verify_locations(context->native(), ca_file.c_str(), nullptr);
  if (loaded != 1)
    return Failure{TlsError{last_error("cannot read the CA certificates " + ca_file)}};
  SSL_CTX_set_verify(context->native(), verify == Verify::kPeer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
                     nullptr);
  SSL_CTX_set_alpn_protos(context->native(), kAlpn, sizeof kAlpn);
  return context;
}

// The OpenSSL objects: an SSL with two memory BIOs, owned by it.
struct TlsStream::Session {
  SSL* ssl;
  BIO* in;   // ciphertext from the peer
  BIO* out;  // ciphertext to the peer

  explicit Session(const TlsContext& context)
      : ssl(SSL_new(context.native())), in(BIO_new(BIO_s_mem())), out(BIO_new(BIO_s_mem())) {
    BIO_set_mem_eof_return(in, -1);
    BIO_set_mem_eof_return(out, -1);
    SSL_set_bio(ssl, in, out);
  }
  ~Session() { SSL_free(ssl); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // What `result` means. OpenSSL also looks at the thread's error queue, where a failure of another
  // connection may linger: callers clear the queue before the call that gave `result`.
  IoStatus status_of(int result) const {
    switch (SSL_get_error(ssl, result)) {
      case SSL_ERROR_WANT_READ:
      case SSL_ERROR_WANT_WRITE:
        return IoStatus::kWouldBlock;
      case SSL_ERROR_ZERO_RETURN:
        return IoStatus::kEof;
      default:
        ERR_clear_error();
        return IoStatus::kError;
    }
  }
};

TlsStream::TlsStream(std::unique_ptr<Session> session, std::unique_ptr<ByteStream> below)
    : session_(std::move(session)), below_(std::move(below)) {
  below_->set_handler(this);
}

TlsStream::~TlsStream() {
  if (destroyed_) *destroyed_ = true;
  close();
}

std::unique_ptr<TlsStream> TlsStream::accept(const TlsContext& context,
                                             std::unique_ptr<ByteStream> below) {
  auto session = std::make_unique<Session>(context);
  SSL_set_accept_state(session->ssl);
  return std::unique_ptr<TlsStream>(new TlsStream(std::move(session), std::move(below)));
}

std::unique_ptr<TlsStream> TlsStream::connect(const TlsContext& context,
                                              std::unique_ptr<ByteStream> below,
                                              const std::string& host, HandshakeHandler* handler) {
  auto session = std::make_unique<Session>(context);
  SSL_set_connect_state(session->ssl);
  // A literal address is verified as one, but never named (RFC 6066 section 3).
  ASN1_OCTET_STRING* literal = a2i_IPADDRESS(host.c_str());
  if (!literal) SSL_set_tlsext_host_name(session->ssl, host.c_str());
  ASN1_OCTET_STRING_free(literal);
  SLIP_CHECK(!host.empty() && SSL_set1_host(session->ssl, host.c_str()) == 1);
  std::unique_ptr<TlsStream> stream(new TlsStream(std::move(session), std::move(below)));
  SSL_do_handshake(stream->session_->ssl);
  stream->push();
  stream->handshake_handler_ = handler;
  return stream;
}

IoStatus TlsStream::pull() {
  char buffer[16 * 1024];
  const IoResult got = below_->read(buffer);
  if (got.status == IoStatus::kOk) BIO_write(session_->in, buffer, static_cast<int>(got.bytes));
  return got.status;
}

IoStatus TlsStream::push() {
  for (;;) {
    if (pending_.empty()) {
      const std::size_t size = BIO_ctrl_pending(session_->out);
      if (size == 0) return IoStatus::kOk;
      pending_.resize(size);
      BIO_read(session_->out, pending_.data(), static_cast<int>(size));
    }
    const IoResult sent = below_->write(std::string_view(pending_));
    if (sent.status != IoStatus::kOk) return sent.status;
    if (sent.bytes < pending_.size()) {
      pending_.erase(0, sent.bytes);
      return IoStatus::kWouldBlock;
    }
    pending_.clear();
  }
}

IoResult TlsStream::read(std::span<char> into) {
  for (;;) {
    ERR_clear_error();
    const int got = SSL_read(session_->ssl, into.data(),
                             static_cast<int>(std::min<std::size_t>(into.size(), 1 << 30)));
    if (got > 0) return {IoStatus::kOk, static_cast<std::size_t>(got)};
    const IoStatus status = session_->status_of(got);
    // Handshake answers, alerts and key updates leave from here too.
    if (push() == IoStatus::kError) return {IoStatus::kError, 0};
    if (status != IoStatus::kWouldBlock) return {status, 0};
    const IoStatus below = pull();
    // A transport that ends without close_notify was cut (RFC 8446 section 6.1): never a clean end.
    if (below == IoStatus::kEof) return {IoStatus::kError, 0};
    if (below != IoStatus::kOk) return {below, 0};
  }
}

IoResult TlsStream::write(std::span<const iovec> pieces) {
  IoStatus status = push();
  std::size_t taken = 0;
  for (const iovec& piece : pieces) {
    const char* data = static_cast<const char*>(piece.iov_base);
    std::size_t offset = 0;
    if (status == IoStatus::kOk && owed_ > 0) {
      offset = std::min(owed_, piece.iov_len);
      owed_ -= offset;
      taken += offset;
    }
    while (status == IoStatus::kOk && offset < piece.iov_len) {
      const int size = static_cast<int>(std::min<std::size_t>(piece.iov_len - offset, 16 * 1024));
      ERR_clear_error();
      const int wrote = SSL_write(session_->ssl, data + offset, size);
      if (wrote <= 0) {
        status = session_->status_of(wrote);
        break;
      }
      offset += static_cast<std::size_t>(wrote);
      status = push();
      (status == IoStatus::kOk ? taken : owed_) += static_cast<std::size_t>(wrote);
    }
  }
  if (status == IoStatus::kOk) return {IoStatus::kOk, taken};
  if (status != IoStatus::kWouldBlock) return {IoStatus::kError, 0};
  write_blocked_ = true;
  return {taken > 0 ? IoStatus::kOk : IoStatus::kWouldBlock, taken};
}

void TlsStream::on_readable() {
  if (handshake_handler_) return continue_handshake();
  // A write that waited for the peer's handshake, not for the transport, can go on when bytes came.
  if (write_blocked_ && pending_.empty() && handler_) {
    bool destroyed = false;
    destroyed_ = &destroyed;
    write_blocked_ = false;
    handler_->on_writable();
    if (destroyed) return;
    destroyed_ = nullptr;
  }
  if (handler_) handler_->on_readable();
}

void TlsStream::on_writable() {
  if (push() == IoStatus::kWouldBlock) return;
  if (handshake_handler_) return continue_handshake();
  if (write_blocked_ && handler_) {
    write_blocked_ = false;
    handler_->on_writable();
  }
}

void TlsStream::continue_handshake() {
  for (;;) {
    ERR_clear_error();
    const int result = SSL_do_handshake(session_->ssl);
    const IoStatus pushed = push();
    const IoStatus status = result == 1 ? IoStatus::kOk : session_->status_of(result);
    if (result == 1 || status != IoStatus::kWouldBlock || pushed == IoStatus::kError) {
      HandshakeHandler* handler = std::exchange(handshake_handler_, nullptr);
      return handler->on_handshake(result == 1 ? HandshakeHandler::Outcome::kDone
                                               : HandshakeHandler::Outcome::kFailed);
    }
    const IoStatus below = pull();
    if (below == IoStatus::kWouldBlock) return;
    if (below != IoStatus::kOk) {
      HandshakeHandler* handler = std::exchange(handshake_handler_, nullptr);
      return handler->on_handshake(HandshakeHandler::Outcome::kFailed);
    }
  }
}

void TlsStream::shutdown_write() {
  SSL_shutdown(session_->ssl);
  push();
  below_->shutdown_write();
}

void TlsStream::close() {
  handler_ = nullptr;
  if (SSL_is_init_finished(session_->ssl)) SSL_shutdown(session_->ssl);
  push();
  below_->close();
}

void TlsStream::reset() {
  handler_ = nullptr;
  below_->reset();
}

}  // namespace slipstream::net
