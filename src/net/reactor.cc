#include "net/reactor.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <system_error>
#include <utility>

#include "base/check.h"

namespace slipstream::net {

namespace asio = boost::asio;

struct Reactor::Shell {
  explicit Shell(int epoll_fd)
      : context(1),
        work(context.get_executor()),
        events(context, epoll_fd),
        timer(context),
        signals(context) {}

  asio::io_context context;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  asio::posix::stream_descriptor events;
  asio::steady_timer timer;
  asio::signal_set signals;
  Time armed_for = kNever;
  bool waiting = false;  // for the epoll set
  std::array<epoll_event, kEventsPerBatch> batch{};
};

namespace {
constexpr milliseconds kStep{50};  // of run_until(): how late it notices its limit

int make_epoll_set() {
  const int fd = epoll_create1(EPOLL_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  return fd;
}
}  // namespace

Reactor::Reactor(const Clock& clock)
    : clock_(clock),
      now_(clock.now()),
      timers_([this] { arm_timer(); }),
      shell_(std::make_unique<Shell>(make_epoll_set())) {}

Reactor::~Reactor() {
  run_deferred();
}

boost::asio::io_context& Reactor::context() {
  return shell_->context;
}

void Reactor::run() {
  owner_.bind();
  wait_for_events();
  shell_->context.run();
  run_deferred();
  owner_.unbind();
}

bool Reactor::run_until(const std::function<bool()>& done, Duration limit) {
  const Time deadline = clock_.now() + limit;
  shell_->context.restart();
  wait_for_events();
  while (!done()) {
    if (clock_.now() >= deadline || shell_->context.stopped()) return false;
    shell_->context.run_one_for(kStep);
  }
  return true;
}

void Reactor::stop() {
  shell_->context.stop();
}

void Reactor::post(Task task) {
  // Lifetime: the task owns what it captures; the reactor outlives its own io_context.
  asio::post(shell_->context, [this, task = std::move(task)] { turn(task); });
}

void Reactor::turn(const Task& task) {
  now_ = clock_.now();
  task();
  run_deferred();
}

void Reactor::run_deferred() {
  // A deferred task may defer again; those run in the same pass, after the ones before them.
  for (std::size_t i = 0; i < deferred_.size(); ++i) {
    const Task task = std::move(deferred_[i]);
    task();
  }
  deferred_.clear();
}

void Reactor::wait_for_events() {
  if (std::exchange(shell_->waiting, true)) return;
  // Lifetime: the descriptor is a member of shell_, the handler dies with its io_context.
  shell_->events.async_wait(asio::posix::stream_descriptor::wait_read,
                            [this](const boost::system::error_code& error) {
                              shell_->waiting = false;
                              if (error) return;
                              dispatch_batch();
                              wait_for_events();
                            });
}

void Reactor::dispatch_batch() {
  auto& batch = shell_->batch;
  now_ = clock_.now();
  const int count = epoll_wait(shell_->events.native_handle(), batch.data(), kEventsPerBatch, 0);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t token = batch[static_cast<std::size_t>(i)].data.u64;
    const Slot slot = slots_[token & 0xffffffffU];
    // A callback earlier in this batch may have closed this object: its generation tells.
    if (slot.generation != static_cast<std::uint32_t>(token >> 32) || !slot.object) continue;
    slot.object->on_events(batch[static_cast<std::size_t>(i)].events);
  }
  run_deferred();
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
  const int added = epoll_ctl(shell_->events.native_handle(), EPOLL_CTL_ADD, fd, &event);
  SLIP_CHECK(added == 0);
  return token;
}

void Reactor::unwatch(int fd, std::uint64_t token) {
  epoll_ctl(shell_->events.native_handle(), EPOLL_CTL_DEL, fd, nullptr);
  Slot& slot = slots_[token & 0xffffffffU];
  slot.object = nullptr;
  ++slot.generation;
  free_slots_.push_back(static_cast<std::uint32_t>(token & 0xffffffffU));
}

void Reactor::arm_timer() {
  const Time next = timers_.next();
  if (next >= shell_->armed_for) return;
  shell_->armed_for = next;
  shell_->timer.expires_at(next);
  // Lifetime: as in wait_for_events().
  shell_->timer.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    shell_->armed_for = kNever;
    now_ = clock_.now();
    timers_.run(now_);
    run_deferred();
    arm_timer();
  });
}

void Reactor::on_signals(std::function<void(int)> handler) {
  if (shell_->armed_for == kNever) arm_timer();
  boost::system::error_code ignored;
  shell_->signals.add(SIGTERM, ignored);
  shell_->signals.add(SIGINT, ignored);
  // Lifetime: the handler is kept by the io_context until the next signal or the end.
  shell_->signals.async_wait(
      [this, handler = std::move(handler)](const boost::system::error_code& error, int number) {
        if (error) return;
        now_ = clock_.now();
        handler(number);
        run_deferred();
        on_signals(handler);
      });
}

}  // namespace slipstream::net
