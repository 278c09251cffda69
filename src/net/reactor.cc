#include "net/reactor.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

#include "base/check.h"

namespace slipstream::net {

namespace asio = boost::asio;

// The thread that runs Asio. Gone before the reactor is: no post follows.
class Reactor::Outside {
 public:
  explicit Outside(Reactor& reactor)
      : reactor_(reactor),
        work_(context_.get_executor()),
        signals_(context_),
        thread_([this] { context_.run(); }) {}

  ~Outside() {
    context_.stop();
    thread_.join();
  }

  asio::io_context& context() { return context_; }

  void listen(std::function<void(int)> handler) {
    on_signal_ = std::move(handler);
    signals_.add(SIGTERM);
    signals_.add(SIGINT);
    wait_for_signal();
  }

 private:
  void wait_for_signal() {
    // Lifetime: the context dies with this object.
    signals_.async_wait([this](const boost::system::error_code& error, int number) {
      if (error) return;
      reactor_.post([this, number] { on_signal_(number); });
      wait_for_signal();
    });
  }

  Reactor& reactor_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::signal_set signals_;
  std::function<void(int)> on_signal_;
  std::thread thread_;  // last: runs what stands above
};

namespace {
constexpr milliseconds kStep{50};  // of run_until(): how late it notices its limit
constexpr std::uint64_t kWakeToken = ~std::uint64_t{0};

int checked(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return fd;
}

timespec to_timespec(Duration wait) {
  const auto whole = std::chrono::duration_cast<seconds>(wait);
  return {static_cast<time_t>(whole.count()), static_cast<long>((wait - whole).count())};
}

// Rounded up: a timer never fires early.
int to_timeout_ms(Duration wait) {
  const auto ms = std::chrono::ceil<milliseconds>(wait).count();
  return static_cast<int>(std::min<decltype(ms)>(ms, 60'000));
}
}  // namespace

Reactor::Reactor(const Clock& clock)
    : clock_(clock),
      now_(clock.now()),
      epoll_fd_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_fd_(checked(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.u64 = kWakeToken;
  checked(epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &event), "epoll_ctl");
}

Reactor::~Reactor() {
  outside_.reset();
  run_deferred();
  ::close(wake_fd_);
  ::close(epoll_fd_);
}

Reactor::Outside& Reactor::outside() {
  if (!outside_) outside_ = std::make_unique<Outside>(*this);
  return *outside_;
}

boost::asio::io_context& Reactor::outside_context() {
  owner_.check();
  return outside().context();
}

void Reactor::on_signals(std::function<void(int)> handler) {
  outside().listen(std::move(handler));
}

void Reactor::run() {
  owner_.bind();
  while (!stopped_.load(std::memory_order_acquire)) turn(kNever);
  run_deferred();
  owner_.unbind();
}

bool Reactor::run_until(const std::function<bool()>& done, Duration limit) {
  const Time deadline = clock_.now() + limit;
  stopped_.store(false, std::memory_order_release);
  while (!done()) {
    const Time started = clock_.now();
    if (started >= deadline || stopped_.load(std::memory_order_acquire)) return false;
    turn(started + kStep);
  }
  return true;
}

void Reactor::stop() {
  stopped_.store(true, std::memory_order_release);
  wake();
}

void Reactor::post(Task task) {
  bool first = false;
  {
    const std::lock_guard lock(mailbox_mutex_);
    first = mailbox_.empty();
    mailbox_.push_back(std::move(task));
  }
  if (first) wake();
}

void Reactor::wake() {
  // It can only fail when the counter is full: then the loop is being woken anyway.
  [[maybe_unused]] const int written = eventfd_write(wake_fd_, 1);
}

void Reactor::turn(Time until) {
  const int count = wait(std::min(until, timers_.next()));
  now_ = clock_.now();
  for (int i = 0; i < count; ++i) dispatch(batch_[static_cast<std::size_t>(i)]);
  if (timers_.next() <= now_) timers_.run(now_);
  run_deferred();
}

int Reactor::wait(Time until) {
  if (until == kNever) return epoll_wait(epoll_fd_, batch_.data(), kEventsPerBatch, -1);
  const Duration left = std::max(until - clock_.now(), Duration::zero());
  if (left == Duration::zero()) return epoll_wait(epoll_fd_, batch_.data(), kEventsPerBatch, 0);
  const timespec limit = to_timespec(left);
  const int count = epoll_pwait2(epoll_fd_, batch_.data(), kEventsPerBatch, &limit, nullptr);
  if (count >= 0 || errno != ENOSYS) return count;
  // Linux before 5.11.
  return epoll_wait(epoll_fd_, batch_.data(), kEventsPerBatch, to_timeout_ms(left));
}

void Reactor::dispatch(const epoll_event& event) {
  if (event.data.u64 == kWakeToken) return take_mail();
  const Slot slot = slots_[event.data.u64 & 0xffffffffU];
  // A callback earlier in this batch may have closed this object: its generation tells.
  if (slot.generation != static_cast<std::uint32_t>(event.data.u64 >> 32) || !slot.object) return;
  slot.object->on_events(event.events);
}

// Each task is a turn of its own: with its time and its deferred work.
void Reactor::take_mail() {
  eventfd_t ignored = 0;
  eventfd_read(wake_fd_, &ignored);  // before the look into the mailbox: a later post wakes again
  {
    const std::lock_guard lock(mailbox_mutex_);
    mail_.swap(mailbox_);
  }
  for (const Task& task : mail_) {
    task();
    run_deferred();
  }
  mail_.clear();
}

void Reactor::run_deferred() {
  // A deferred task may defer again; those run in the same pass, after the ones before them.
  for (std::size_t i = 0; i < deferred_.size(); ++i) {
    const Task task = std::move(deferred_[i]);
    task();
  }
  deferred_.clear();
}

std::uint64_t Reactor::watch(int fd, Watched* object) {
  owner_.check();
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  slots_[index].object = object;
  const std::uint64_t token = (static_cast<std::uint64_t>(slots_[index].generation) << 32) | index;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = token;
  const int added = epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event);
  SLIP_CHECK(added == 0);
  return token;
}

void Reactor::unwatch(int fd, std::uint64_t token) {
  epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
  Slot& slot = slots_[token & 0xffffffffU];
  slot.object = nullptr;
  ++slot.generation;
  free_slots_.push_back(static_cast<std::uint32_t>(token & 0xffffffffU));
}

}  // namespace slipstream::net
