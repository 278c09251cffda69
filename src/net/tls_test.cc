#include "net/tls.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>

#include "net/connector.h"
#include "net/loop_harness.h"

namespace slipstream::net {
namespace {

// A self-signed certificate for "localhost" and 127.0.0.1, as two files of a folder of its own.
class Certificate {
 public:
  Certificate() {
    char name[] = "/tmp/slipstream-tls-XXXXXX";
    folder_ = mkdtemp(name);
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(certificate, subject);
    X509_EXTENSION* names =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    X509_add_ext(certificate, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(certificate, key, EVP_sha256());
    std::FILE* file = std::fopen(certificate_file().c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    file = std::fopen(key_file().c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  ~Certificate() { std::filesystem::remove_all(folder_); }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;
  std::string certificate_file() const { return folder_ + "/certificate.pem"; }
  std::string key_file() const { return folder_ + "/key.pem"; }

 private:
  std::string folder_;
};

// A client made by the connector, a server accepted from a listener. `transport_` is the TCP stream
// below the server's TlsStream, so that a test can cut it.
class TlsTest : public testing::Test, public ConnectHandler {
 protected:
  TlsTest() {
    auto server = TlsContext::server(certificate_.certificate_file(), certificate_.key_file());
    EXPECT_TRUE(server.ok()) << server.error().message;
    server_context_ = std::move(*server);
    auto listening = Listener::open(loop_.reactor, {"127.0.0.1:0", 16 * 1024}, &acceptor_);
    listener_ = std::move(*listening);
    port_ = split_host_port(listener_->bound_address())->port;
  }

  void on_connected(std::unique_ptr<ByteStream> stream) override {
    client_.attach(std::move(stream));
    client_.read_all();
    pending_.reset();
    connected_ = true;
  }
  void on_connect_failed(ConnectError error) override {
    error_ = error;
    failed_ = true;
  }

  // One handshake; afterwards either connected_ or failed_.
  void shake(const std::string& host, const std::string& ca_file, TlsContext::Verify verify) {
    auto context = TlsContext::client(ca_file, verify);
    ASSERT_TRUE(context.ok()) << context.error().message;
    client_context_ = std::move(*context);
    connector_ = std::make_unique<TcpConnector>(loop_.reactor, client_context_.get());
    pending_ = connector_->connect({host, port_, true}, 15'000, this);
    ASSERT_TRUE(loop_.run_until([&] { return !acceptor_.streams.empty(); }));
    auto below = std::move(acceptor_.streams.back());
    acceptor_.streams.pop_back();
    transport_ = below.get();
    server_.attach(TlsStream::accept(*server_context_, std::move(below)));
    server_.read_all();
    ASSERT_TRUE(loop_.run_until([&] { return connected_ || failed_; }));
    if (failed_) return;
    // The server's side is done when the first bytes came through.
    client_.stream->write("hi");
    ASSERT_TRUE(loop_.run_until([&] { return server_.bytes == "hi"; }));
    server_.bytes.clear();
  }
  void shake() { shake("localhost", certificate_.certificate_file(), TlsContext::Verify::kPeer); }

  // Makes `from` send `bytes`, also when writes are short.
  static void pump(Recorder& from, const std::string& bytes, std::size_t* sent) {
    from.then_write = [&from, &bytes, sent] {
      while (*sent < bytes.size()) {
        const IoResult result = from.stream->write(std::string_view(bytes).substr(*sent));
        ASSERT_NE(result.status, IoStatus::kError);
        *sent += result.bytes;
        if (result.status == IoStatus::kWouldBlock) return;
      }
    };
    from.then_write();
  }

  Certificate certificate_;
  LoopHarness loop_;
  Acceptor acceptor_;
  std::unique_ptr<Listener> listener_;
  std::string port_;
  std::unique_ptr<TlsContext> server_context_, client_context_;
  std::unique_ptr<TcpConnector> connector_;
  std::unique_ptr<PendingConnect> pending_;
  Recorder client_, server_;
  ByteStream* transport_ = nullptr;
  bool connected_ = false;
  bool failed_ = false;
  ConnectError error_ = ConnectError::kNone;
};

std::string letters(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 999) % 26);
  return text;
}

TEST_F(TlsTest, VerifiedHandshakeThenBothDirections) {
  shake();
  ASSERT_TRUE(connected_);
  client_.stream->write("question");
  ASSERT_TRUE(loop_.run_until([&] { return server_.bytes == "question"; }));
  const iovec pieces[2] = {{const_cast<char*>("ans"), 3}, {const_cast<char*>("wer"), 3}};
  EXPECT_EQ(server_.stream->write(pieces).bytes, 6U);
  EXPECT_TRUE(loop_.run_until([&] { return client_.bytes == "answer"; }));
}

TEST_F(TlsTest, AddressIsVerifiedAsAddress) {
  shake("127.0.0.1", certificate_.certificate_file(), TlsContext::Verify::kPeer);
  EXPECT_TRUE(connected_);
}

TEST_F(TlsTest, UnknownIssuerIsRefused) {
  shake("localhost", "", TlsContext::Verify::kPeer);
  EXPECT_TRUE(failed_);
  EXPECT_EQ(error_, ConnectError::kTls);
}

TEST_F(TlsTest, VerificationCanBeSwitchedOff) {
  shake("localhost", "", TlsContext::Verify::kNothing);
  EXPECT_TRUE(connected_);
}

class Shaken final : public HandshakeHandler {
 public:
  void on_handshake(Outcome outcome) override { ++(outcome == Outcome::kDone ? done : failed); }
  int done = 0;
  int failed = 0;
};

TEST_F(TlsTest, OtherHostNameIsRefused) {
  auto context = TlsContext::client(certificate_.certificate_file(), TlsContext::Verify::kPeer);
  ASSERT_TRUE(context.ok());
  struct Plain final : ConnectHandler {
    void on_connected(std::unique_ptr<ByteStream> connected) override {
      stream = std::move(connected);
    }
    void on_connect_failed(ConnectError) override {}
    std::unique_ptr<ByteStream> stream;
  } plain;
  TcpConnector connector(loop_.reactor, nullptr);
  const auto pending = connector.connect({"127.0.0.1", port_}, 15'000, &plain);
  ASSERT_TRUE(loop_.run_until([&] { return plain.stream && !acceptor_.streams.empty(); }));
  server_.attach(TlsStream::accept(*server_context_, std::move(acceptor_.streams.back())));
  Shaken shaken;
  const auto stream =
      TlsStream::connect(**context, std::move(plain.stream), "other.example", &shaken);
  ASSERT_TRUE(loop_.run_until([&] { return shaken.done + shaken.failed > 0; }));
  EXPECT_EQ(shaken.failed, 1);
}

TEST_F(TlsTest, CleanCloseIsTheEnd) {
  shake();
  server_.stream->write("all");
  server_.stream.reset();
  ASSERT_TRUE(loop_.run_until([&] { return client_.last == IoStatus::kEof; }));
  EXPECT_EQ(client_.bytes, "all");
}

TEST_F(TlsTest, CutWithoutCloseNotifyIsAnError) {
  shake();
  server_.stream->write("all");
  transport_->shutdown_write();  // a FIN that TLS knows nothing of
  ASSERT_TRUE(loop_.run_until([&] { return client_.last == IoStatus::kError; }));
  EXPECT_EQ(client_.bytes, "all");
}

TEST_F(TlsTest, GarbageInsteadOfAHandshakeFailsThatConnectionOnly) {
  shake();
  RawClient noise(listener_->bound_address());
  ASSERT_TRUE(loop_.run_until([&] { return !acceptor_.streams.empty(); }));
  Recorder victim;
  victim.attach(TlsStream::accept(*server_context_, std::move(acceptor_.streams.back())));
  noise.send("GET / HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(loop_.run_until([&] { return victim.last == IoStatus::kError; }));
  victim.stream.reset();
  client_.stream->write("fine");
  EXPECT_TRUE(loop_.run_until([&] { return server_.bytes == "fine"; }));
}

TEST_F(TlsTest, LargeTransfersBothWaysAtOnceWithShortWrites) {
  shake();
  ASSERT_TRUE(connected_);
  const std::string up = letters(3'000'000), down = letters(4'000'001);
  std::size_t up_sent = 0, down_sent = 0;
  pump(client_, up, &up_sent);
  pump(server_, down, &down_sent);
  EXPECT_LT(down_sent, down.size());
  ASSERT_TRUE(loop_.run_until(
      [&] { return server_.bytes.size() >= up.size() && client_.bytes.size() >= down.size(); }));
  EXPECT_EQ(server_.bytes, up);
  EXPECT_EQ(client_.bytes, down);
  EXPECT_GT(server_.writable_calls, 0);
}

// What write() called taken is delivered by close(), however slow the reader.
TEST_F(TlsTest, CloseLosesNothingThatWasTaken) {
  shake();
  ASSERT_TRUE(connected_);
  client_.reading = false;
  const std::string answer = letters(20'000'000);
  std::size_t taken = 0;
  for (IoResult result; taken < answer.size(); taken += result.bytes) {
    result = server_.stream->write(std::string_view(answer).substr(taken));
    if (result.status != IoStatus::kOk) break;
  }
  ASSERT_GT(taken, 0U);
  ASSERT_LT(taken, answer.size());
  server_.stream.reset();
  client_.reading = true;
  client_.read_all();
  ASSERT_TRUE(loop_.run_until(
      [&] { return client_.last == IoStatus::kEof || client_.last == IoStatus::kError; }));
  EXPECT_GE(client_.bytes.size(), taken);
  EXPECT_TRUE(answer.starts_with(client_.bytes));
}

TEST(TlsContextTest, MissingFilesAreToldInOneLine) {
  const auto server = TlsContext::server("/nonexistent/c.pem", "/nonexistent/k.pem");
  ASSERT_FALSE(server.ok());
  EXPECT_TRUE(server.error().message.starts_with("cannot read the certificate /nonexistent"));
  const auto client = TlsContext::client("/nonexistent/ca.pem", TlsContext::Verify::kPeer);
  ASSERT_FALSE(client.ok());
  EXPECT_TRUE(client.error().message.starts_with("cannot read the CA certificates /nonexistent"));
}

}  // namespace
}  // namespace slipstream::net
