// What this program asks of the system and of the allocator, counted exactly and never timed.
//
// The linker sends recv, send, sendmsg, epoll_wait, epoll_pwait2 and epoll_ctl of the whole program
// through counts.cc (CMakeLists.txt: --wrap). The tests' own peers use read and write, which are
// not counted, so that every number here is the gateway's. Thread rule: any thread; the numbers are
// of all threads together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slipstream::gates {

struct SystemCalls {
  std::uint64_t reads = 0;        // recv that moved bytes or saw the end
  std::uint64_t empty_reads = 0;  // recv that found nothing
  std::uint64_t writes = 0;       // send and sendmsg
  std::uint64_t polls = 0;        // epoll_wait and epoll_pwait2
  std::uint64_t watches = 0;      // epoll_ctl

  SystemCalls operator-(const SystemCalls& before) const;
  SystemCalls& operator+=(const SystemCalls& more);
};
SystemCalls system_calls();  // since the program began

// Writes on each descriptor that had any since forget_writes().
void forget_writes();
std::vector<std::uint64_t> writes_by_descriptor();

// A sanitizer brings an allocator of its own: nothing is counted then, and whoever asks skips.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kHeapIsCounted = false;
#else
inline constexpr bool kHeapIsCounted = true;
#endif

inline constexpr const char* kSkipped = "the sanitizer's allocator is not counted";

struct Heap {
  std::uint64_t allocations = 0;  // operator new, since the program began
  std::int64_t bytes = 0;         // live, as malloc rounded them, its own word included
};
Heap heap();

}  // namespace slipstream::gates
