#include "gates/counts.h"

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

namespace {

using Count = std::atomic<std::uint64_t>;

constexpr std::size_t kDescriptorsMax = 65'536;

Count reads;
Count empty_reads;
Count writes;
Count polls;
Count watches;
std::array<Count, kDescriptorsMax> descriptor_writes;

void add_one(Count& to) {
  to.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t value(const Count& of) {
  return of.load(std::memory_order_relaxed);
}

void count_write(int fd) {
  add_one(writes);
  add_one(descriptor_writes.at(static_cast<std::size_t>(fd)));
}

}  // namespace

extern "C" {

ssize_t __real_recv(int fd, void* into, size_t size, int flags);
ssize_t __wrap_recv(int fd, void* into, size_t size, int flags) {
  const ssize_t got = __real_recv(fd, into, size, flags);
  add_one(got < 0 && errno == EAGAIN ? empty_reads : reads);
  return got;
}

ssize_t __real_send(int fd, const void* from, size_t size, int flags);
ssize_t __wrap_send(int fd, const void* from, size_t size, int flags) {
  count_write(fd);
  return __real_send(fd, from, size, flags);
}

ssize_t __real_sendmsg(int fd, const msghdr* message, int flags);
ssize_t __wrap_sendmsg(int fd, const msghdr* message, int flags) {
  count_write(fd);
  return __real_sendmsg(fd, message, flags);
}

int __real_epoll_wait(int fd, epoll_event* events, int size, int timeout);
int __wrap_epoll_wait(int fd, epoll_event* events, int size, int timeout) {
  add_one(polls);
  return __real_epoll_wait(fd, events, size, timeout);
}

int __real_epoll_pwait2(int fd, epoll_event* events, int size, const timespec* limit,
                        const sigset_t* mask);
int __wrap_epoll_pwait2(int fd, epoll_event* events, int size, const timespec* limit,
                        const sigset_t* mask) {
  add_one(polls);
  return __real_epoll_pwait2(fd, events, size, limit, mask);
}

int __real_epoll_ctl(int set, int what, int fd, epoll_event* event);
int __wrap_epoll_ctl(int set, int what, int fd, epoll_event* event) {
  add_one(watches);
  return __real_epoll_ctl(set, what, fd, event);
}

}  // extern "C"

namespace slipstream::gates {

SystemCalls SystemCalls::operator-(const SystemCalls& before) const {
  return {reads - before.reads, empty_reads - before.empty_reads, writes - before.writes,
          polls - before.polls, watches - before.watches};
}

SystemCalls& SystemCalls::operator+=(const SystemCalls& more) {
  reads += more.reads;
  empty_reads += more.empty_reads;
  writes += more.writes;
  polls += more.polls;
  watches += more.watches;
  return *this;
}

SystemCalls system_calls() {
  return {value(::reads), value(::empty_reads), value(::writes), value(::polls), value(::watches)};
}

void forget_writes() {
  for (Count& count : descriptor_writes) count.store(0, std::memory_order_relaxed);
}

std::vector<std::uint64_t> writes_by_descriptor() {
  std::vector<std::uint64_t> found;
  for (const Count& count : descriptor_writes) {
    if (value(count) > 0) found.push_back(value(count));
  }
  return found;
}

}  // namespace slipstream::gates

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

slipstream::gates::Heap slipstream::gates::heap() {
  return {};
}

#else

namespace {

Count allocations;
std::atomic<std::int64_t> live_bytes;

// What malloc gave, with the word in front of it where it keeps the size.
std::int64_t bytes_of(void* memory) {
  return static_cast<std::int64_t>(malloc_usable_size(memory) + sizeof(std::size_t));
}

void* counted(void* memory) {
  if (!memory) throw std::bad_alloc();
  add_one(allocations);
  live_bytes.fetch_add(bytes_of(memory), std::memory_order_relaxed);
  return memory;
}

void release(void* memory) {
  if (!memory) return;
  live_bytes.fetch_sub(bytes_of(memory), std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

slipstream::gates::Heap slipstream::gates::heap() {
  return {value(allocations), live_bytes.load(std::memory_order_relaxed)};
}

// The array and nothrow forms of the library come here too.
void* operator new(std::size_t size) {
  return counted(std::malloc(size));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(to, (size + to - 1) / to * to));
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}

#endif
