// A reactor driven step by step, and small peers. For tests only.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "net/reactor.h"
#include "net/socket.h"
#include "net/stream.h"

namespace slipstream::net {

class LoopHarness {
 public:
  // Turns the loop until `done()`. Fails when nothing of the kind happens for long.
  testing::AssertionResult run_until(const std::function<bool()>& done) {
    if (reactor.run_until(done, seconds(20))) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "it never happened";
  }
  // Everything that is ready now has been handled.
  void drain() {
    bool reached = false;
    reactor.post([this, &reached] { reactor.post([&reached] { reached = true; }); });
    EXPECT_TRUE(run_until([&] { return reached; }));
  }

  SystemClock clock;
  Reactor reactor{clock};
};

// Reads all it can; counts what it is told.
class Recorder final : public StreamHandler {
 public:
  void attach(std::unique_ptr<ByteStream> to) {
    stream = std::move(to);
    stream->set_handler(this);
  }
  void on_readable() override {
    ++readable_calls;
    if (reading) read_all();
  }
  void on_writable() override {
    ++writable_calls;
    if (then_write) then_write();
  }
  void read_all() {
    char buffer[4096];
    while (stream) {
      const IoResult got = stream->read(buffer);
      last = got.status;
      if (got.status != IoStatus::kOk) return;
      bytes.append(buffer, got.bytes);
    }
  }

  std::unique_ptr<ByteStream> stream;
  std::string bytes;
  IoStatus last = IoStatus::kOk;
  bool reading = true;
  int readable_calls = 0;
  int writable_calls = 0;
  std::function<void()> then_write;
};

// Keeps what a listener accepts.
class Acceptor final : public AcceptHandler {
 public:
  void on_accepted(std::unique_ptr<ByteStream> stream) override {
    streams.push_back(std::move(stream));
  }
  std::vector<std::unique_ptr<ByteStream>> streams;
};

// A blocking loopback client without any of our code, and its half of the conversation.
class RawClient {
 public:
  explicit RawClient(const std::string& address) : fd(socket(AF_INET, SOCK_STREAM, 0)) {
    const auto parts = split_host_port(address);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(*parse_decimal(parts->port)));
    inet_pton(AF_INET, parts->host.c_str(), &to.sin_addr);
    connected = ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~RawClient() { close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void send(std::string_view bytes) const {
    EXPECT_EQ(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // What can be read without waiting. `ended`: FIN or reset was seen.
  std::string receive() {
    std::string all;
    char buffer[16'384];
    for (;;) {
      const ssize_t got = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
      if (got > 0) {
        all.append(buffer, static_cast<std::size_t>(got));
        continue;
      }
      if (got == 0) ended = true;
      if (got < 0 && errno == ECONNRESET) ended = was_reset = true;
      return all;
    }
  }
  void abort() {
    const linger at_once{1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  void close() {
    if (fd >= 0) ::close(std::exchange(fd, -1));
  }

  int fd;
  bool connected = false;
  bool ended = false;
  bool was_reset = false;
};

}  // namespace slipstream::net
