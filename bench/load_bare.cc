// The physical limit: one buffer to N sockets on every tick, nothing else.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "load.h"
#include "raw.h"

namespace slipstream::bench {
namespace {

struct Report {
  std::uint64_t writes = 0;
  std::uint64_t refused = 0;  // the socket was full: the sink is too slow for this machine
  std::uint64_t cpu_ns = 0;
};

struct Plan {
  std::size_t rounds;
  std::uint64_t interval_ns;
  std::size_t bytes;
  int cpu;
  int port;
};

void sleep_until(std::uint64_t until_ns) {
  timespec at{};
  at.tv_sec = static_cast<time_t>(until_ns / kNsPerSecond);
  at.tv_nsec = static_cast<long>(until_ns % kNsPerSecond);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

// A child that accepts `count` connections and throws away what they bring, until it is killed.
pid_t start_sink(int listener, std::size_t count, int cpu) {
  const pid_t pid = fork();
  if (pid < 0) die("fork");
  if (pid > 0) return pid;
  pin_to(cpu);
  Poller poller;
  poller.add(listener, UINT64_MAX, EPOLLIN);
  std::vector<char> buffer(1 << 16);
  std::size_t accepted = 0;
  for (;;) {
    for (const epoll_event& event : poller.wait(kNever)) {
      if (event.data.u64 != UINT64_MAX) {
        recv(static_cast<int>(event.data.u64), buffer.data(), buffer.size(), MSG_TRUNC);
        continue;
      }
      const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0 || ++accepted > count) continue;
      poller.add(fd, static_cast<std::uint64_t>(fd));
    }
  }
}

Report send_rounds(const std::vector<int>& sockets, const Plan& plan) {
  const std::string buffer(plan.bytes, 'x');
  Report report;
  // Two rounds to warm up; then a moment for the sink.
  for (int round = 0; round < 2; ++round) {
    for (const int fd : sockets) send_all(fd, buffer);
  }
  const std::uint64_t start = now_ns() + 20 * kNsPerMs;
  sleep_until(start);
  const std::uint64_t cpu = own_cpu_ns();
  for (std::size_t round = 0; round < plan.rounds; ++round) {
    sleep_until(start + round * plan.interval_ns);
    for (const int fd : sockets) {
      ++(send_all(fd, buffer) ? report.writes : report.refused);
    }
  }
  report.cpu_ns = own_cpu_ns() - cpu;
  return report;
}

// A child that sends to `count` sockets of its own and writes its Report into the pipe.
void start_sender(int pipe_end, std::size_t count, const Plan& plan) {
  const pid_t pid = fork();
  if (pid < 0) die("fork");
  if (pid > 0) return;
  pin_to(plan.cpu);
  std::vector<int> sockets;
  for (std::size_t i = 0; i < count; ++i) sockets.push_back(connect_loopback(plan.port));
  const Report report = send_rounds(sockets, plan);
  if (write(pipe_end, &report, sizeof report) != sizeof report) die("report");
  std::_Exit(0);
}

}  // namespace

int run_bare(const Options& options) {
  const std::size_t n = options.count("n", 500);
  const std::size_t senders = std::max<std::size_t>(options.count("senders", 1), 1);
  int port = 0;
  const int listener = listen_loopback(port);
  const Plan plan{options.count("rounds", 100),
                  static_cast<std::uint64_t>(options.number("interval-ms", 10)) * kNsPerMs,
                  options.count("bytes", 206), static_cast<int>(options.number("cpu", -1)), port};
  const pid_t sink = start_sink(listener, n, static_cast<int>(options.number("sink-cpu", -1)));
  int ends[2];
  if (pipe(ends) != 0) die("pipe");
  for (std::size_t i = 0; i < senders; ++i) start_sender(ends[1], n / senders, plan);
  Report total;
  for (std::size_t i = 0; i < senders; ++i) {
    Report report;
    if (read(ends[0], &report, sizeof report) != sizeof report) die("a sender died");
    total.writes += report.writes;
    total.refused += report.refused;
    total.cpu_ns += report.cpu_ns;
  }
  kill(sink, SIGKILL);
  while (wait(nullptr) > 0) {
  }
  std::printf("{\"writes\":%llu,\"refused\":%llu,\"cpu_us_per_write\":%.4f}\n",
              static_cast<unsigned long long>(total.writes),
              static_cast<unsigned long long>(total.refused),
              static_cast<double>(total.cpu_ns) / 1e3 /
                  static_cast<double>(std::max<std::uint64_t>(total.writes, 1)));
  return total.refused == 0 ? 0 : 1;
}

}  // namespace slipstream::bench
