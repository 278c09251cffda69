// For tests of this folder: a reactor that runs until something holds, a raw client that keeps
// every byte, and a server that sends fixed bytes.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "net/connector.h"
#include "net/reactor.h"
#include "net/socket.h"

namespace slipstream::lab {

// A reactor taken step by step.
class TestReactor {
 public:
  operator net::Reactor&() { return reactor_; }

  // Until `condition` holds after a turn; a test failure after ten seconds.
  void run_until(const std::function<bool()>& condition) {
    ASSERT_TRUE(reactor_.run_until(condition, seconds(10))) << "condition not met in time";
  }

 private:
  SystemClock clock_;
  net::Reactor reactor_{clock_};
};

inline net::Address address_of(const std::string& bound) {
  const auto parts = net::split_host_port(bound);
  return {.host = parts->host, .port = parts->port};
}

// Connects, sends what it is told, keeps what it gets.
class RawClient final : net::StreamHandler, net::ConnectHandler {
 public:
  enum class End { kOpen, kFin, kReset, kNotConnected };

  RawClient(net::Reactor& reactor, const std::string& bound, std::string to_send)
      : connector_(reactor, nullptr), to_send_(std::move(to_send)) {
    pending_ = connector_.connect(address_of(bound), 5000, this);
  }

  void close() { stream_->close(); }
  const std::string& received() const { return received_; }
  bool has(std::string_view text) const { return received_.find(text) != std::string::npos; }
  End end() const { return end_; }

 private:
  void on_connected(std::unique_ptr<net::ByteStream> stream) override {
    stream_ = std::move(stream);
    stream_->set_handler(this);
    on_writable();
    on_readable();
  }
  void on_connect_failed(net::ConnectError) override { end_ = End::kNotConnected; }
  void on_writable() override {
    const net::IoResult sent = stream_->write(to_send_);
    if (sent.status == net::IoStatus::kOk) to_send_.erase(0, sent.bytes);
  }
  void on_readable() override {
    std::array<char, 4096> bytes;
    while (end_ == End::kOpen) {
      const net::IoResult got = stream_->read(bytes);
      if (got.status == net::IoStatus::kWouldBlock) return;
      if (got.status == net::IoStatus::kEof) end_ = End::kFin;
      if (got.status == net::IoStatus::kError) end_ = End::kReset;
      received_.append(bytes.data(), got.bytes);
    }
  }

  net::TcpConnector connector_;
  std::string to_send_;
  std::string received_;
  End end_ = End::kOpen;
  std::unique_ptr<net::ByteStream> stream_;
  std::unique_ptr<net::PendingConnect> pending_;
};

// Answers the first bytes of every connection with the same bytes, then ends its side.
class FixedServer final : net::AcceptHandler {
 public:
  FixedServer(net::Reactor& reactor, std::string answer) : answer_(std::move(answer)) {
    listener_ = std::move(*net::Listener::open(reactor, {.address = "127.0.0.1:0"}, this));
  }
  const std::string& address() const { return listener_->bound_address(); }

 private:
  struct Connection final : net::StreamHandler {
    Connection(std::unique_ptr<net::ByteStream> s, const std::string& a)
        : stream(std::move(s)), answer(a) {
      stream->set_handler(this);
    }
    void on_readable() override {
      std::array<char, 4096> bytes;
      while (stream->read(bytes).status == net::IoStatus::kOk) {
        if (answered) continue;
        answered = true;
        stream->write(answer);
        stream->shutdown_write();
      }
    }
    void on_writable() override {}
    std::unique_ptr<net::ByteStream> stream;
    const std::string& answer;
    bool answered = false;
  };
  void on_accepted(std::unique_ptr<net::ByteStream> stream) override {
    connections_.push_back(std::make_unique<Connection>(std::move(stream), answer_));
    connections_.back()->on_readable();
  }

  std::string answer_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::unique_ptr<net::Listener> listener_;
};

}  // namespace slipstream::lab
