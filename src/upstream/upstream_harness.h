// For tests: the client on a real loop, a server that does what the test says, a clock that jumps.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/connector.h"
#include "net/loop_harness.h"
#include "upstream/client.h"

namespace slipstream::upstream {

// The system's clock, put forward by hand. Timers already set fire after a jump; timers set after
// one are late by as much, so a test jumps last.
class JumpingClock final : public Clock {
 public:
  Time now() const override { return system_.now() + ahead_; }
  WallTime wall_now() const override { return system_.wall_now(); }
  void jump(Duration by) { ahead_ += by; }

 private:
  SystemClock system_;
  Duration ahead_{};
};

// Writes down what it is told; may destroy its attempt inside any callback.
class Caller final : public AttemptHandler {
 public:
  enum class At { kNowhere, kSent, kHead, kBody, kBatch, kEnd, kFailure, kDeadline, kSpace };

  void on_sent() override {
    reused = attempt && attempt->on_reused_connection();
    told(At::kSent, 's');
  }
  void on_head(const http::Head& head) override {
    status = head.status();
    if (then_on_head) then_on_head();
    told(At::kHead, 'h');
  }
  void on_body(std::string_view bytes) override {
    body += bytes;
    told(At::kBody, 'b');
  }
  void on_batch() override { told(At::kBatch, '.'); }
  void on_end() override { told(At::kEnd, 'e'); }
  void on_failure(FailureClass why) override {
    failure = why;
    told(At::kFailure, 'f');
  }
  void on_deadline() override { told(At::kDeadline, 'd'); }
  void on_upload_space() override { told(At::kSpace, 'u'); }

  bool heard(char what) const { return events.find(what) != std::string::npos; }
  bool over() const { return heard('e') || heard('f'); }

  std::unique_ptr<Attempt> attempt;
  At destroy_at = At::kNowhere;
  std::function<void()> then_on_head;
  std::string events;
  std::string body;
  int status = 0;
  bool reused = false;
  std::optional<FailureClass> failure;

 private:
  void told(At at, char letter) {
    events += letter;
    if (at == destroy_at) attempt.reset();
  }
};

inline constexpr std::string_view kGet = "GET /x HTTP/1.1\r\nhost: a\r\n\r\n";
inline constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

class World final : private net::AcceptHandler {
 public:
  explicit World(ClientOptions options = {}) {
    auto listening = net::Listener::open(reactor, {.address = "127.0.0.1:0"}, this);
    EXPECT_TRUE(listening.ok());
    listener = std::move(*listening);
    const auto parts = net::split_host_port(listener->bound_address());
    options.endpoint = {parts->host, parts->port};
    client.emplace(reactor, connector, options);
  }
  ~World() {
    for (auto& server : servers) server->stream.reset();
  }

  testing::AssertionResult until(const std::function<bool()>& done) {
    if (reactor.run_until(done, seconds(20))) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "it never happened";
  }
  // A few turns: what is ready has been handled.
  void settle() {
    int turns = 0;
    std::function<void()> again = [&] {
      if (++turns < 4) reactor.post(again);
    };
    reactor.post(again);
    EXPECT_TRUE(until([&] { return turns == 4; }));
  }
  void jump(Duration by) {
    clock.jump(by);
    bool fired = false;
    net::Timer nudge(reactor, [&] { fired = true; });
    nudge.set(Time{});
    EXPECT_TRUE(until([&] { return fired; }));
    settle();
  }

  void start(Caller& caller, Call call = {.head = kGet}) {
    caller.attempt = client->start(call, &caller);
  }
  // The connection that carries `caller`'s request, with the head there.
  net::Recorder& server_of(std::size_t index) {
    EXPECT_TRUE(until([&] {
      return servers.size() > index && servers[index]->bytes.find("\r\n\r\n") != std::string::npos;
    }));
    return *servers.at(index);
  }
  // One whole call, answered with `answer` on connection `index`.
  void exchange(Caller& caller, std::size_t index, std::string_view answer) {
    if (index < servers.size()) servers[index]->bytes.clear();
    start(caller);
    server_of(index).stream->write(answer);
    EXPECT_TRUE(until([&] { return caller.over(); })) << caller.events;
  }

  JumpingClock clock;
  net::Reactor reactor{clock};
  net::TcpConnector connector{reactor, nullptr};
  std::vector<std::unique_ptr<net::Recorder>> servers;  // in order of acceptance
  bool servers_read = true;
  std::unique_ptr<net::Listener> listener;
  std::optional<Client> client;

 private:
  void on_accepted(std::unique_ptr<net::ByteStream> stream) override {
    servers.push_back(std::make_unique<net::Recorder>());
    servers.back()->reading = servers_read;
    servers.back()->attach(std::move(stream));
    if (servers_read) servers.back()->read_all();
  }
};

}  // namespace slipstream::upstream
