// What a request that shares with nobody costs: system calls, memory requests, bytes while it runs.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "faults/chat.h"
#include "gates/counts.h"
#include "gates/world.h"

namespace slipstream::gates {
namespace {

using faults::Stream;

constexpr std::size_t kCallers = 64;
constexpr std::size_t kHeld = 500;
constexpr int kWarmRounds = 3;
constexpr int kRounds = 8;
constexpr double kRequests = static_cast<double>(kCallers) * kRounds;

std::string unique_request(Stream stream, std::size_t number) {
  return request_of(
      faults::chat("question " + std::to_string(number) + std::string(900, '.'), stream));
}

std::string answer(Stream stream) {
  if (stream == Stream::kNo) return answer_of(faults::whole_body("four"));
  return std::string(kStreamHead) + chunk_of(faults::whole_stream("four")) +
         std::string(kStreamEnd);
}

struct Cost {
  SystemCalls calls;
  std::uint64_t allocations = 0;
};

// kRounds times kCallers unique requests on warm connections, as a busy gateway sees them: all
// callers ask at once, all answers come at once, each in one piece.
Cost cost_of_unique_requests(Stream stream) {
  World world(1);
  for (std::size_t i = 0; i < kCallers; ++i) world.add_caller();
  const std::string reply = answer(stream);
  const std::string_view end = std::string_view(reply).substr(reply.size() - 5);
  Cost cost;
  for (int round = -kWarmRounds; round < kRounds; ++round) {
    for (Peer& peer : world.upstream()) peer.forget();
    for (std::size_t i = 0; i < kCallers; ++i) {
      const auto number = static_cast<std::size_t>(round + kWarmRounds) * kCallers + i;
      world.callers()[i].forget();
      world.callers()[i].write(unique_request(stream, number));
    }
    const SystemCalls calls = system_calls();
    const std::uint64_t allocations = heap().allocations;
    world.until_called(kCallers);
    for (Peer& peer : world.upstream()) peer.write(reply);
    world.until_all_read(end);
    if (round < 0) continue;
    cost.calls += system_calls() - calls;
    cost.allocations += heap().allocations - allocations;
  }
  EXPECT_EQ(world.upstream().size(), kCallers) << "a connection was not used again";
  EXPECT_EQ(world.upstream_calls(), kCallers * (kRounds + kWarmRounds));
  return cost;
}

void expect_system_calls(const char* what, const SystemCalls& calls) {
  std::printf("%s: %.2f reads, %.2f writes, %.3f polls and rearms per request\n", what,
              static_cast<double>(calls.reads) / kRequests,
              static_cast<double>(calls.writes) / kRequests,
              static_cast<double>(calls.polls + calls.watches) / kRequests);
  EXPECT_EQ(calls.reads, 2 * kCallers * kRounds) << "the request and its answer";
  EXPECT_EQ(calls.writes, 2 * kCallers * kRounds) << "the call and its answer";
  EXPECT_EQ(calls.empty_reads, 0U) << "a read after a short one finds nothing";
  // One wait per turn; connections are watched once for all.
  EXPECT_LE(static_cast<double>(calls.polls + calls.watches) / kRequests, 0.1)
      << "a turn of the loop serves many requests";
}

TEST(Gates, UniqueRequestTakesTwoReadsAndTwoWrites) {
  expect_system_calls("unique request", cost_of_unique_requests(Stream::kNo).calls);
}

TEST(Gates, UniqueStreamTakesTwoReadsAndTwoWrites) {
  expect_system_calls("unique stream", cost_of_unique_requests(Stream::kYes).calls);
}

void expect_allocations(const char* what, Stream stream, double limit) {
  if (!kHeapIsCounted) GTEST_SKIP() << kSkipped;
  const double each = static_cast<double>(cost_of_unique_requests(stream).allocations) / kRequests;
  std::printf("%s: %.2f allocations per request\n", what, each);
  EXPECT_LE(each, limit);
}

TEST(Gates, UniqueRequestTakesFewAllocations) {
  expect_allocations("unique request", Stream::kNo, 4.5);
}

TEST(Gates, UniqueStreamTakesFewAllocations) {
  expect_allocations("unique stream", Stream::kYes, 7.0);
}

// Streams that the upstream has begun and does not end: each keeps both its connections.
TEST(Gates, UniqueHeldStreamTakesFewBytes) {
  if (!kHeapIsCounted) GTEST_SKIP() << kSkipped;
  need_descriptors(2500);
  World world(1);
  const std::string begin = std::string(kStreamHead) + chunk_of(faults::token("begun"));
  auto hold = [&, number = std::size_t{0}](std::size_t more) mutable {
    for (Peer& peer : world.upstream()) peer.forget();
    const std::size_t first = world.upstream().size();
    for (std::size_t i = 0; i < more; ++i)
      world.add_caller().write(unique_request(Stream::kYes, number++));
    world.until_called(more);
    for (std::size_t i = first; i < first + more; ++i) world.upstream()[i].write(begin);
    world.until_all_read("\n\n\r\n");
  };
  hold(kCallers);
  const std::int64_t before = heap().bytes;
  hold(kHeld);
  const double each = static_cast<double>(heap().bytes - before) / kHeld;
  std::printf("unique held stream: %.0f bytes\n", each);
  EXPECT_LE(each, 6.3 * 1024);
}

}  // namespace
}  // namespace slipstream::gates
