// What sharing costs: writes, wake-ups and bytes per follower, upstream calls for a crowd.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "faults/caller.h"
#include "faults/chat.h"
#include "faults/gate.h"
#include "faults/upstream.h"
#include "gates/counts.h"
#include "gates/world.h"

namespace slipstream::gates {
namespace {

using faults::Stream;

constexpr int kFlushes = 20;

std::string shared_request() {
  return request_of(faults::chat("hi", Stream::kYes));
}

// A flight whose upstream has not answered yet: the leader on worker 0, `followers` on each worker.
void gather(World& world, std::size_t workers, std::size_t followers) {
  const std::string request = shared_request();
  world.add_caller().write(request);
  world.until_called(1);
  for (std::size_t worker = 0; worker < workers; ++worker) {
    for (std::size_t i = 0; i < followers; ++i) world.add_caller(worker).write(request);
  }
  world.until_followers(workers * followers);
}

// One event in one piece, so that the gateway reads it at once; returns when all callers have it.
void flush(World& world, int number) {
  const std::string chunk = chunk_of(faults::token("token " + std::to_string(number)));
  world.upstream().front().write(number == 0 ? std::string(kStreamHead) + chunk : chunk);
  // "N"},"finish_reason":null}]} and the chunk's end: the number is in it.
  world.until_all_read(std::string_view(chunk).substr(chunk.size() - Peer::kTailBytes));
}

TEST(Gates, FollowerTakesOneWritePerFlush) {
  World world(2);
  gather(world, 2, 100);
  forget_writes();
  for (int i = 0; i < kFlushes; ++i) flush(world, i);
  const std::vector<std::uint64_t> writes = writes_by_descriptor();
  ASSERT_EQ(writes.size(), world.callers().size());
  std::printf("%d flushes: at most %d writes to a follower\n", kFlushes,
              static_cast<int>(std::ranges::max(writes)));
  EXPECT_LE(std::ranges::max(writes), kFlushes) << "the head goes with the first flush";
  EXPECT_EQ(world.upstream_calls(), 1U);
}

// With at most a slice of followers each, no worker has to wake itself for the rest of a pass.
TEST(Gates, BatchWakesEachOtherWorkerOnce) {
  constexpr std::size_t kWorkers = 3;
  World world(kWorkers);
  gather(world, kWorkers, flight::Hall::kWritesPerSlice - 2);
  std::uint64_t most = 0;
  for (int i = 0; i < kFlushes; ++i) {
    const std::uint64_t before = world.wakes();
    flush(world, i);
    most = std::max(most, world.wakes() - before);
  }
  std::printf("%zu workers: at most %d wake-ups per batch\n", kWorkers, static_cast<int>(most));
  EXPECT_LE(most, kWorkers - 1);
}

TEST(Gates, FollowerOfAHeldStreamTakesFewBytes) {
  if (!kHeapIsCounted) GTEST_SKIP() << kSkipped;
  constexpr std::size_t kFollowers = 1000;
  need_descriptors(2500);
  World world(1);
  gather(world, 1, 50);
  flush(world, 0);
  const std::string request = shared_request();
  const std::int64_t before = heap().bytes;
  for (std::size_t i = 0; i < kFollowers; ++i) world.add_caller().write(request);
  world.until_all_read("\n\n\r\n");
  const double each = static_cast<double>(heap().bytes - before) / kFollowers;
  std::printf("follower of a held stream: %.0f bytes\n", each);
  EXPECT_LE(each, 1.5 * 1024);
}

// The whole gateway, with its threads.
TEST(Gates, CrowdOnThreeWorkersMakesOneCall) {
  constexpr std::size_t kCrowd = 2000;
  need_descriptors(2 * kCrowd + 500);
  faults::Upstream upstream;
  faults::Gate gate(upstream, {{"workers", "3"}});
  std::vector<faults::Caller> callers;
  for (std::size_t i = 0; i < kCrowd; ++i)
    callers.emplace_back(gate).post(faults::chat("hi", Stream::kYes));
  gate.wait_followers(kCrowd - 1);
  faults::Call& call = upstream.wait_call();
  const std::string body = faults::whole_stream("four");
  call.start_stream();
  call.stream(body);
  call.end_stream();
  std::size_t equal = 0;
  for (faults::Caller& caller : callers) {
    const faults::Answer answer = caller.finish();
    if (answer.status() == 200 && answer.complete && answer.body == body) ++equal;
  }
  EXPECT_EQ(equal, kCrowd) << "answers that are whole and equal byte for byte";
  EXPECT_EQ(upstream.try_call(Duration::zero()), nullptr);
  EXPECT_EQ(gate.upstream_calls(), 1U);
}

}  // namespace
}  // namespace slipstream::gates
