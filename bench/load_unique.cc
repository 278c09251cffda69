// Closed and open loop: unique requests with short answers.
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "load.h"
#include "raw.h"
#include "response.h"
#include "wire.h"

namespace slipstream::bench {
namespace {

struct Caller {
  int fd = -1;
  std::uint64_t since_ns = 0;  // latency counts from here
  ResponseReader reader;
};

// Keeps C connections and their requests; both loops drive it.
class Callers {
 public:
  explicit Callers(const Options& options)
      : port_(static_cast<int>(options.number("port", 0))),
        request_(options.text("model", "stub-0-0-0"), ""),
        serial_(static_cast<std::uint64_t>(options.number("serial", 0))),
        callers_(options.count("connections", 50)),
        buffer_(1 << 16, '\0') {
    for (std::size_t i = 0; i < callers_.size(); ++i) {
      callers_[i].fd = connect_loopback(port_);
      poller_.add(callers_[i].fd, i);
    }
  }

  std::size_t size() const { return callers_.size(); }
  std::uint64_t answered() const { return answered_; }
  Samples& latency() { return latency_; }

  void ask(std::size_t id, std::uint64_t since_ns) {
    callers_[id].since_ns = since_ns;
    callers_[id].reader.start();
    if (!send_all(callers_[id].fd, request_.with(++serial_))) die("short send of a request");
  }

  // Reads what arrived until `until_ns` at the latest; calls on_answer(id) for each whole answer.
  template <typename OnAnswer>
  void poll(std::uint64_t until_ns, OnAnswer&& on_answer) {
    for (const epoll_event& event : poller_.wait(until_ns)) {
      const std::size_t id = event.data.u64;
      if (read_some(callers_[id])) on_answer(id);
    }
  }

  // Forgets what the warm-up measured.
  void forget() {
    latency_ = Samples();
    answered_ = 0;
  }

 private:
  bool read_some(Caller& caller) {
    const ssize_t got = recv(caller.fd, buffer_.data(), buffer_.size(), 0);
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) die("the server closed a connection");
    std::size_t body = 0;
    const auto state = caller.reader.feed({buffer_.data(), static_cast<std::size_t>(got)},
                                          [&](std::string_view run) { body += run.size(); });
    if (state == ResponseReader::State::kBroken) die("an answer broke");
    if (state == ResponseReader::State::kReading) return false;
    if (caller.reader.status() != 200) {
      die("status " + std::to_string(caller.reader.status()) + " instead of 200");
    }
    latency_.add(static_cast<std::int64_t>(now_ns() - caller.since_ns));
    ++answered_;
    return true;
  }

  int port_;
  RequestTemplate request_;
  std::uint64_t serial_;
  std::vector<Caller> callers_;
  std::string buffer_;
  Poller poller_;
  Samples latency_;
  std::uint64_t answered_ = 0;
};

void print(Callers& callers, std::uint64_t wall_ns, std::uint64_t cpu_ns) {
  const auto requests = static_cast<double>(callers.answered());
  const double seconds = static_cast<double>(wall_ns) / static_cast<double>(kNsPerSecond);
  Samples& latency = callers.latency();
  std::printf(
      "{\"requests\":%.0f,\"seconds\":%.3f,\"per_second\":%.1f,\"cpu_us_per_request\":%.3f,"
      "\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f}\n",
      requests, seconds, requests / seconds, static_cast<double>(cpu_ns) / 1e3 / requests,
      latency.quantile(0.5, 1e3), latency.quantile(0.9, 1e3), latency.quantile(0.99, 1e3),
      latency.quantile(1, 1e3));
}

std::uint64_t seconds_option(const Options& options) {
  return static_cast<std::uint64_t>(std::stod(options.text("seconds", "2")) *
                                    static_cast<double>(kNsPerSecond));
}

}  // namespace

int run_closed(const Options& options) {
  Callers callers(options);
  const CpuMeter meter(options.text("pids", ""));
  const auto again = [&](std::size_t id) { callers.ask(id, now_ns()); };
  for (std::size_t id = 0; id < callers.size(); ++id) again(id);
  const std::uint64_t warm =
      now_ns() + static_cast<std::uint64_t>(options.number("warmup-ms", 200)) * kNsPerMs;
  while (now_ns() < warm) callers.poll(warm, again);
  callers.forget();
  const std::uint64_t cpu = meter.read_ns();
  const std::uint64_t start = now_ns();
  const std::uint64_t end = start + seconds_option(options);
  while (now_ns() < end) callers.poll(end, again);
  const std::uint64_t wall = now_ns() - start;
  print(callers, wall, meter.read_ns() - cpu);
  return callers.answered() > 0 ? 0 : 1;
}

int run_open(const Options& options) {
  Callers callers(options);
  const CpuMeter meter(options.text("pids", ""));
  const auto interval = static_cast<std::uint64_t>(1e9 / std::stod(options.text("rate", "5000")));
  const std::uint64_t total = seconds_option(options) / interval;
  std::vector<std::size_t> idle;
  for (std::size_t id = 0; id < callers.size(); ++id) idle.push_back(id);
  const std::uint64_t cpu = meter.read_ns();
  const std::uint64_t start = now_ns() + kNsPerMs;
  const std::uint64_t give_up = start + total * interval + 10 * kNsPerSecond;
  std::uint64_t scheduled = 0;
  while (callers.answered() < total) {
    const std::uint64_t now = now_ns();
    if (now > give_up) die("answers are missing 10 s after the last request");
    while (scheduled < total && !idle.empty() && start + scheduled * interval <= now) {
      callers.ask(idle.back(), start + scheduled++ * interval);
      idle.pop_back();
    }
    const bool waits = scheduled < total && !idle.empty();
    callers.poll(waits ? start + scheduled * interval : give_up,
                 [&](std::size_t id) { idle.push_back(id); });
  }
  print(callers, now_ns() - start, meter.read_ns() - cpu);
  return 0;
}

}  // namespace slipstream::bench
