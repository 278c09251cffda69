#include "raw.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace slipstream::bench {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::uint64_t read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kNsPerSecond +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// The first number of a thread's schedstat; 0 if the thread has gone.
std::uint64_t thread_cpu_ns(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return 0;
  unsigned long long cpu_ns = 0;
  if (std::fscanf(file, "%llu", &cpu_ns) != 1) cpu_ns = 0;
  std::fclose(file);
  return cpu_ns;
}

}  // namespace

void die(std::string_view what) {
  const int error = errno;
  std::fprintf(stderr, "bench: %.*s (%s)\n", static_cast<int>(what.size()), what.data(),
               error == 0 ? "no system error" : std::strerror(error));
  std::_Exit(1);
}

std::uint64_t now_ns() {
  return read_clock(CLOCK_MONOTONIC);
}
std::uint64_t own_cpu_ns() {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void raise_fd_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void pin_to(int cpu) {
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) die("cannot pin to the CPU");
}

void set_nonblocking_nodelay(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int listen_loopback(int& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) die("socket");
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = loopback(port);
  socklen_t size = sizeof address;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0) die("bind");
  if (listen(fd, 4096) != 0) die("listen");
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return fd;
}

int connect_loopback(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) die("socket");
  sockaddr_in address = loopback(port);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) die("connect");
  set_nonblocking_nodelay(fd);
  return fd;
}

bool send_all(int fd, std::string_view bytes) {
  const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(bytes.size());
}

Poller::Poller() : fd_(epoll_create1(EPOLL_CLOEXEC)), ready_(1024) {
  if (fd_ < 0) die("epoll_create1");
}

Poller::~Poller() {
  close(fd_);
}

void Poller::add(int fd, std::uint64_t tag, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag;
  if (epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &event) != 0) die("epoll_ctl add");
}

void Poller::change(int fd, std::uint64_t tag, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag;
  if (epoll_ctl(fd_, EPOLL_CTL_MOD, fd, &event) != 0) die("epoll_ctl mod");
}

std::span<const epoll_event> Poller::wait(std::uint64_t until_ns) {
  timespec left{};
  const timespec* timeout = nullptr;
  if (until_ns != kNever) {
    const std::uint64_t now = now_ns();
    const std::uint64_t ns = until_ns > now ? until_ns - now : 0;
    left.tv_sec = static_cast<time_t>(ns / kNsPerSecond);
    left.tv_nsec = static_cast<long>(ns % kNsPerSecond);
    timeout = &left;
  }
  const int count =
      epoll_pwait2(fd_, ready_.data(), static_cast<int>(ready_.size()), timeout, nullptr);
  if (count < 0 && errno != EINTR) die("epoll_pwait2");
  return {ready_.data(), static_cast<std::size_t>(std::max(count, 0))};
}

CpuMeter::CpuMeter(std::string_view pids) {
  while (!pids.empty()) {
    const std::size_t comma = std::min(pids.find(','), pids.size());
    pids_.emplace_back(pids.substr(0, comma));
    pids.remove_prefix(std::min(comma + 1, pids.size()));
  }
}

std::uint64_t CpuMeter::read_ns() const {
  std::uint64_t total = 0;
  for (const std::string& pid : pids_) {
    const std::string tasks = "/proc/" + pid + "/task";
    DIR* directory = opendir(tasks.c_str());
    if (directory == nullptr) die("the measured process has gone: " + pid);
    while (const dirent* entry = readdir(directory)) {
      if (entry->d_name[0] == '.') continue;
      total += thread_cpu_ns(tasks + "/" + entry->d_name + "/schedstat");
    }
    closedir(directory);
  }
  return total;
}

double Samples::quantile(double q, double unit_ns) {
  if (values_.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values_.size() - 1) + 0.5);
  std::nth_element(values_.begin(), values_.begin() + at, values_.end());
  return static_cast<double>(values_[static_cast<std::size_t>(at)]) / unit_ns;
}

}  // namespace slipstream::bench
