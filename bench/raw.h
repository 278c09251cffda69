// The few system calls that stub and loader share: sockets on loopback, readiness, clocks, CPU
// time.
//
// Failures of set-up end the program with a message (die): a benchmark that limps measures nothing.
// One thread per object.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipstream::bench {

inline constexpr std::uint64_t kNsPerMs = 1'000'000;
inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
inline constexpr std::uint64_t kNever = UINT64_MAX;

[[noreturn]] void die(std::string_view what);

// CLOCK_MONOTONIC in nanoseconds: comparable between processes of one machine.
std::uint64_t now_ns();
// CPU time that the calling process used so far.
std::uint64_t own_cpu_ns();

// Raises the descriptor limit of this process to its hard limit.
void raise_fd_limit();
// Binds this process to one CPU; a negative number leaves it free.
void pin_to(int cpu);

// A non-blocking listener on 127.0.0.1; port 0 picks a free one, written back to `port`.
int listen_loopback(int& port);
// A connected non-blocking socket with TCP_NODELAY; dies if nobody listens.
int connect_loopback(int port);
void set_nonblocking_nodelay(int fd);

// Sends all of `bytes` at once; false on any short write (a benchmark request always fits).
bool send_all(int fd, std::string_view bytes);

// Level-triggered epoll set. `tag` comes back with each event.
class Poller {
 public:
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  void add(int fd, std::uint64_t tag, std::uint32_t events = EPOLLIN | EPOLLRDHUP);
  void change(int fd, std::uint64_t tag, std::uint32_t events);
  // Waits until something is ready or the monotonic time `until_ns` is reached. The span lives
  // until the next call.
  std::span<const epoll_event> wait(std::uint64_t until_ns);

 private:
  int fd_;
  std::vector<epoll_event> ready_;
};

// On-CPU time of all threads of some processes, from /proc/PID/task/*/schedstat.
class CpuMeter {
 public:
  // `pids`: numbers separated by commas; empty measures nothing and reads 0.
  explicit CpuMeter(std::string_view pids);
  std::uint64_t read_ns() const;

 private:
  std::vector<std::string> pids_;
};

// Latency samples in nanoseconds; quantiles are exact.
class Samples {
 public:
  void add(std::int64_t ns) { values_.push_back(ns); }
  std::size_t size() const { return values_.size(); }
  // The quantile q in 0..1 in units of `unit_ns`; 0 if there are no samples.
  double quantile(double q, double unit_ns);

 private:
  std::vector<std::int64_t> values_;
};

}  // namespace slipstream::bench
