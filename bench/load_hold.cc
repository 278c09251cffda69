// Holds many connections in one state while others measure the server's memory.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "load.h"
#include "raw.h"
#include "response.h"
#include "wire.h"

namespace slipstream::bench {
namespace {

constexpr std::uint64_t kStdinTag = UINT64_MAX;
constexpr std::uint64_t kPatienceNs = 20 * kNsPerSecond;

enum class Kind { kIdle, kSame, kDistinct };

struct Held {
  int fd = -1;
  bool ready = false;
  ResponseReader reader;
};

class Holder {
 public:
  Holder(const Options& options, Kind kind)
      : kind_(kind),
        request_(options.text("model", "stub-200-0-0"), ""),
        serial_(static_cast<std::uint64_t>(options.number("serial", 0))),
        held_(options.count("n", 1000)),
        buffer_(1 << 16, '\0') {
    for (std::size_t i = 0; i < held_.size(); ++i) {
      held_[i].fd = connect_loopback(static_cast<int>(options.number("port", 0)));
      poller_.add(held_[i].fd, i);
    }
  }

  // Brings all connections into the state; false if some did not get there in time.
  bool reach() {
    for (Held& held : held_) {
      const std::string_view request = request_.with(kind_ == Kind::kSame ? serial_ : ++serial_);
      if (!send_all(held.fd, request)) die("short send of a request");
    }
    const std::uint64_t limit = now_ns() + kPatienceNs;
    while (ready_ < held_.size() && now_ns() < limit) {
      for (const epoll_event& event : poller_.wait(limit)) on_ready(held_[event.data.u64]);
    }
    return ready_ == held_.size();
  }

  // Drains events until standard input ends; false if the server ended a connection meanwhile.
  bool keep() {
    poller_.add(STDIN_FILENO, kStdinTag, EPOLLIN);
    for (;;) {
      for (const epoll_event& event : poller_.wait(kNever)) {
        if (event.data.u64 == kStdinTag) return lost_ == 0;
        on_ready(held_[event.data.u64]);
      }
    }
  }

 private:
  void on_ready(Held& held) {
    if (held.fd < 0) return;
    const ssize_t got = recv(held.fd, buffer_.data(), buffer_.size(), 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      if (!held.ready) die("the server closed a connection before its answer");
      close(held.fd);
      held.fd = -1;
      ++lost_;
      return;
    }
    std::size_t body = 0;
    const auto state = held.reader.feed({buffer_.data(), static_cast<std::size_t>(got)},
                                        [&](std::string_view run) { body += run.size(); });
    if (state == ResponseReader::State::kBroken) die("an answer broke");
    const bool answered = state == ResponseReader::State::kDone;
    if (held.ready || !(kind_ == Kind::kIdle ? answered : body > 0)) return;
    if (held.reader.status() != 200) {
      die("status " + std::to_string(held.reader.status()) + " instead of 200");
    }
    held.ready = true;
    ++ready_;
  }

  Kind kind_;
  RequestTemplate request_;
  std::uint64_t serial_;
  std::vector<Held> held_;
  std::string buffer_;
  Poller poller_;
  std::size_t ready_ = 0;
  std::size_t lost_ = 0;
};

Kind kind_named(const std::string& name) {
  if (name == "idle") return Kind::kIdle;
  if (name == "same") return Kind::kSame;
  if (name == "distinct") return Kind::kDistinct;
  die("--kind idle|same|distinct");
}

}  // namespace

int run_hold(const Options& options) {
  Holder holder(options, kind_named(options.text("kind", "")));
  if (!holder.reach()) die("not all connections reached the state in time");
  std::printf("{\"ready\":%zu}\n", options.count("n", 1000));
  return holder.keep() ? 0 : 1;
}

}  // namespace slipstream::bench
