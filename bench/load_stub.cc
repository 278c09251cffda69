// A model server that costs almost nothing: one thread, one epoll set, keep-alive.
//
// The model name `stub-D-K-I` in the body selects the answer: after D ms, K events of 200 bytes
// every I ms, then a finish chunk and the marker, chunked; K = 0: one JSON answer with
// Content-Length. GET /stats counts: {"calls":..,"live":..}. Prints `port N` when it listens.
// Options: --port P.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "options.h"
#include "raw.h"
#include "wire.h"

namespace slipstream::bench {
namespace {

constexpr std::uint64_t kListenerTag = UINT64_MAX;
constexpr std::size_t kRequestBytesMax = 1 << 20;

struct Connection {
  int fd = -1;
  bool busy = false;         // an answer is under way
  std::uint32_t answer = 0;  // counts answers: timers of older ones are void
  Script script;
  std::uint64_t sent_events = 0;
  std::uint64_t next_ns = 0;
  std::string in;   // the part of a request that came without its rest
  std::string out;  // what the socket did not take yet
};

struct Timer {
  std::uint64_t due_ns;
  std::uint32_t connection;
  std::uint32_t answer;
  bool operator>(const Timer& other) const { return due_ns > other.due_ns; }
};

// Length of the first whole request in `bytes`, 0 if it is not whole yet.
std::size_t request_bytes(std::string_view bytes) {
  const std::size_t head_end = bytes.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return 0;
  for (std::size_t line = bytes.find("\r\n") + 2; line < head_end;
       line = bytes.find("\r\n", line) + 2) {
    constexpr std::string_view kName = "content-length:";
    if (strncasecmp(bytes.data() + line, kName.data(), kName.size()) != 0) continue;
    const std::size_t body = std::strtoul(bytes.data() + line + kName.size(), nullptr, 10);
    const std::size_t whole = head_end + 4 + body;
    return bytes.size() >= whole ? whole : 0;
  }
  return head_end + 4;
}

std::string with_length(std::string_view status, std::string_view body) {
  std::string text = "HTTP/1.1 ";
  text.append(status).append("\r\nContent-Type: application/json\r\nContent-Length: ");
  text.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
  return text;
}

class Stub {
 public:
  explicit Stub(int port) : listener_(listen_loopback(port)), buffer_(kRequestBytesMax, '\0') {
    poller_.add(listener_, kListenerTag, EPOLLIN);
    event_chunk_ = "c8\r\n" + event_template() + "\r\n";
    char size[16];
    std::snprintf(size, sizeof size, "%zx\r\n", stream_tail().size());
    tail_chunk_ = size + std::string(stream_tail()) + "\r\n0\r\n\r\n";
    json_ = with_length("200 OK", json_answer());
    std::printf("port %d\n", port);
    std::fflush(stdout);
  }

  void run() {
    for (;;) {
      for (const epoll_event& event :
           poller_.wait(timers_.empty() ? kNever : timers_.top().due_ns)) {
        if (event.data.u64 == kListenerTag) {
          accept_all();
        } else {
          on_ready(static_cast<std::uint32_t>(event.data.u64), event.events);
        }
      }
      fire_timers();
    }
  }

 private:
  void accept_all() {
    for (int fd = 0; (fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      set_nonblocking_nodelay(fd);
      if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(connections_.size()));
        connections_.emplace_back();
      }
      const std::uint32_t id = free_.back();
      free_.pop_back();
      connections_[id].fd = fd;
      poller_.add(fd, id);
    }
    if (errno != EAGAIN && errno != ECONNABORTED) die("accept4");
  }

  void on_ready(std::uint32_t id, std::uint32_t events) {
    Connection& connection = connections_[id];
    if (connection.fd < 0) return;
    if (events & EPOLLOUT) flush(id);
    if (connection.fd < 0 || (events & ~std::uint32_t{EPOLLOUT}) == 0) return;
    const ssize_t got = recv(connection.fd, buffer_.data(), buffer_.size(), 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return drop(id);
    const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(got));
    if (connection.in.empty() && !connection.busy && request_bytes(bytes) == bytes.size()) {
      return serve(id, bytes);
    }
    connection.in.append(bytes);
    if (connection.in.size() > kRequestBytesMax) return drop(id);
    serve_waiting(id);
  }

  void serve_waiting(std::uint32_t id) {
    Connection& connection = connections_[id];
    while (connection.fd >= 0 && !connection.busy && !connection.in.empty()) {
      const std::size_t whole = request_bytes(connection.in);
      if (whole == 0) return;
      const std::string request = connection.in.substr(0, whole);
      connection.in.erase(0, whole);
      serve(id, request);
    }
  }

  void serve(std::uint32_t id, std::string_view request) {
    Connection& connection = connections_[id];
    if (request.starts_with("GET /stats ")) {
      return put(id, with_length("200 OK", "{\"calls\":" + std::to_string(calls_) +
                                               ",\"live\":" + std::to_string(live_) + "}"));
    }
    const auto script = request.starts_with("POST ") ? find_script(request) : std::nullopt;
    if (!script) return put(id, with_length("404 Not Found", "{\"error\":{\"message\":\"no\"}}"));
    ++calls_;
    if (script->events == 0 && script->delay_ms == 0) return put(id, json_);
    ++live_;
    connection.busy = true;
    connection.script = *script;
    connection.sent_events = 0;
    connection.next_ns = now_ns() + script->delay_ms * kNsPerMs;
    timers_.push({connection.next_ns, id, ++connection.answer});
  }

  void fire_timers() {
    while (!timers_.empty() && timers_.top().due_ns <= now_ns()) {
      const Timer timer = timers_.top();
      timers_.pop();
      Connection& connection = connections_[timer.connection];
      if (connection.busy && connection.answer == timer.answer) go_on(timer.connection);
    }
  }

  // Sends the next piece of the answer under way and sets the timer of the piece after it.
  void go_on(std::uint32_t id) {
    Connection& connection = connections_[id];
    const Script& script = connection.script;
    if (script.events == 0 || connection.sent_events == script.events) {
      connection.busy = false;
      --live_;
      put(id, script.events == 0 ? json_ : tail_chunk_);
      return serve_waiting(id);
    }
    constexpr std::string_view kHead =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
        "Transfer-Encoding: chunked\r\n\r\n";
    put_stamp(event_chunk_.data() + 4, now_ns());
    if (connection.sent_events++ == 0) {
      put(id, std::string(kHead) + event_chunk_);
    } else {
      put(id, event_chunk_);
    }
    if (connection.fd < 0) return;
    connection.next_ns += script.interval_ms * kNsPerMs;
    timers_.push({connection.next_ns, id, connection.answer});
  }

  void put(std::uint32_t id, std::string_view bytes) {
    Connection& connection = connections_[id];
    if (connection.out.empty()) {
      const ssize_t sent = send(connection.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN) return drop(id);
      bytes.remove_prefix(sent < 0 ? 0 : static_cast<std::size_t>(sent));
      if (bytes.empty()) return;
      poller_.change(connection.fd, id, EPOLLIN | EPOLLRDHUP | EPOLLOUT);
    }
    connection.out.append(bytes);
  }

  void flush(std::uint32_t id) {
    Connection& connection = connections_[id];
    const ssize_t sent =
        send(connection.fd, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return drop(id);
    if (sent > 0) connection.out.erase(0, static_cast<std::size_t>(sent));
    if (connection.out.empty()) poller_.change(connection.fd, id, EPOLLIN | EPOLLRDHUP);
  }

  void drop(std::uint32_t id) {
    Connection& connection = connections_[id];
    if (connection.busy) --live_;
    close(connection.fd);
    const std::uint32_t answer = connection.answer;
    connection = Connection{};
    connection.answer = answer;
    free_.push_back(id);
  }

  Poller poller_;
  int listener_;
  std::string buffer_;
  std::string event_chunk_;
  std::string tail_chunk_;
  std::string json_;
  std::deque<Connection> connections_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::uint64_t calls_ = 0;
  std::uint64_t live_ = 0;
};

}  // namespace
}  // namespace slipstream::bench

int main(int argc, char** argv) {
  using namespace slipstream::bench;
  std::signal(SIGPIPE, SIG_IGN);
  raise_fd_limit();
  const Options options(argc, argv, 1);
  Stub(static_cast<int>(options.number("port", 0))).run();
}
