#include "flight/replay_log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "flight/fake_flight.h"

namespace slipstream::flight {
namespace {

std::string pattern(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 251) % 26);
  return text;
}

TEST(ReplayLog, AnySplitOfAppendsAndReadsGivesTheSameBytes) {
  SeededRandom random(1);
  for (int round = 0; round < 300; ++round) {
    ReplayBudget budget(1 << 30);
    {
      ReplayLog log(budget);
      const std::string whole = pattern(random.below(300'000));
      const std::size_t step_max = 1 + random.below(40'000);
      Cursor slow = log.attach();
      Cursor quick = log.attach();
      std::string seen;
      for (std::size_t at = 0; at < whole.size();) {
        const std::size_t step =
            std::min<std::size_t>(whole.size() - at, random.below(step_max) + 1);
        log.append(std::string_view(whole).substr(at, step));
        at += step;
        log.publish();
        EXPECT_EQ(log.published(), at);
        if (random.below(2)) seen += read_some(quick, 1 + random.below(step_max));
      }
      log.end(FlightEnding::kWhole);
      seen += read_some(quick);
      EXPECT_EQ(seen, whole);
      EXPECT_EQ(quick.position(), whole.size());
      EXPECT_EQ(read_some(slow), whole);
    }
    EXPECT_EQ(budget.held(), 0U);
  }
}

TEST(ReplayLog, PeekIsRepeatableAndBoundedByPieces) {
  ReplayBudget budget(1 << 30);
  ReplayLog log(budget);
  const std::string whole = pattern(500'000);
  for (std::size_t at = 0; at < whole.size(); at += 1000)
    log.append(std::string_view(whole).substr(at, 1000));
  log.publish();
  Cursor cursor = log.attach();
  iovec pieces[64];
  const std::size_t all = cursor.peek(pieces, 64);
  EXPECT_GT(all, 5U);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < all; ++i) bytes += pieces[i].iov_len;
  EXPECT_EQ(bytes, whole.size());
  EXPECT_EQ(cursor.peek(pieces, 3), 3U);
  const std::size_t into_second = pieces[0].iov_len + 5;
  cursor.advance(into_second);
  ASSERT_GT(cursor.peek(pieces, 64), 0U);
  EXPECT_EQ(*static_cast<char*>(pieces[0].iov_base), whole[into_second]);
  EXPECT_EQ(cursor.position(), into_second);
}

TEST(ReplayLog, HintMakesOneExactSegment) {
  ReplayBudget budget(1 << 30);
  ReplayLog log(budget);
  constexpr std::size_t kBytes = 5'000'000;
  const std::string whole = pattern(kBytes);
  const std::uint64_t empty = budget.held();
  EXPECT_LE(empty, 1024U);
  for (std::size_t at = 0; at < kBytes; at += 16'384)
    log.append(std::string_view(whole).substr(at, 16'384), kBytes);
  log.publish();
  Cursor cursor = log.attach();
  iovec pieces[8];
  EXPECT_EQ(cursor.peek(pieces, 8), 1U);
  EXPECT_LE(budget.held(), kBytes + empty + 64);  // the bytes and headers, nothing spare
  EXPECT_EQ(read_some(cursor), whole);
}

TEST(ReplayLog, HintAboveSixteenMebibytesIsServedInPieces) {
  ReplayBudget budget(1ULL << 40);
  ReplayLog log(budget);
  const std::string some = pattern(4096);
  log.append(some, 1ULL << 36);
  log.publish();
  EXPECT_LE(budget.held(), 16U * 1024 * 1024 + 4096);
  Cursor cursor = log.attach();
  EXPECT_EQ(read_some(cursor), some);
}

TEST(ReplayLog, NothingAppendedIsMissingAfterPublishAndTailWaitsForIt) {
  ReplayBudget budget(1 << 30);
  ReplayLog log(budget);
  Cursor cursor = log.attach();
  log.append("abc");
  EXPECT_EQ(read_some(cursor), "");
  EXPECT_EQ(log.appended(), 3U);
  EXPECT_EQ(log.published(), 0U);
  log.end(FlightEnding::kCut);  // publishes
  EXPECT_EQ(read_some(cursor), "abc");
  log.end(FlightEnding::kWhole);  // the first ending stays
  EXPECT_EQ(log.ending(), FlightEnding::kCut);
}

TEST(ReplayLog, ReleasedHeadFreesWhatEveryCursorPassed) {
  ReplayBudget budget(1 << 30);
  ReplayLog log(budget);
  Cursor first = log.attach();
  Cursor second = log.attach();
  const std::string whole = pattern(1'000'000);
  for (std::size_t at = 0; at < whole.size(); at += 10'000)
    log.append(std::string_view(whole).substr(at, 10'000));
  log.publish();
  const std::uint64_t full = budget.held();
  EXPECT_EQ(read_some(first), whole);
  EXPECT_EQ(budget.held(), full);
  log.release_head();
  EXPECT_TRUE(log.head_released());
  EXPECT_EQ(budget.held(), full) << "the second cursor still stands at byte 0";
  EXPECT_EQ(read_some(second, 500'000).size(), 500'000U);
  EXPECT_LT(budget.held(), full - 400'000);
  second.drop();
  EXPECT_LE(budget.held(), 64U * 1024) << "only the writer's segment is left";
  log.append("more");
  log.publish();
  EXPECT_EQ(read_some(first), "more");
}

TEST(ReplayLog, CursorOutlivesTheLog) {
  ReplayBudget budget(1 << 30);
  Cursor cursor;
  {
    ReplayLog log(budget);
    cursor = log.attach();
    log.append(pattern(100'000));
    log.end(FlightEnding::kWhole);
  }
  Cursor moved = std::move(cursor);
  EXPECT_FALSE(cursor.attached());
  EXPECT_EQ(read_some(moved), pattern(100'000));
  moved.drop();
  EXPECT_EQ(budget.held(), 0U);
}

TEST(ReplayLog, BudgetKnowsWhenItIsExhausted) {
  ReplayBudget budget(100'000);
  ReplayLog log(budget);
  EXPECT_FALSE(budget.exhausted());
  log.append(pattern(100'000));
  EXPECT_TRUE(budget.exhausted());
}

// One writer, readers that look all the time. The end is looked at before the bytes: who sees it
// must find every byte.
TEST(ReplayLogConcurrent, ReadersSeeEveryByteAndTheEndLast) {
  for (int round = 0; round < 20; ++round) {
    ReplayBudget budget(1 << 30);
    {
      ReplayLog log(budget);
      const std::string whole = pattern(200'000);
      std::vector<Cursor> cursors;
      for (int i = 0; i < 3; ++i) cursors.push_back(log.attach());
      if (round % 2) log.release_head();
      std::vector<std::string> seen(cursors.size());
      std::vector<std::thread> readers;
      for (std::size_t i = 0; i < cursors.size(); ++i) {
        readers.emplace_back([&, i] {
          for (bool ended = false; !ended; std::this_thread::yield()) {
            ended = log.ended();
            seen[i] += read_some(cursors[i], ended ? SIZE_MAX : 1000 * (i + 1));
          }
        });
      }
      SeededRandom random(static_cast<std::uint64_t>(round));
      for (std::size_t at = 0; at < whole.size();) {
        const std::size_t step = 1 + random.below(3000);
        log.append(std::string_view(whole).substr(at, step));
        at += step;
        if (random.below(2)) log.publish();
      }
      log.end(FlightEnding::kWhole);
      for (std::thread& reader : readers) reader.join();
      for (const std::string& bytes : seen) EXPECT_EQ(bytes, whole);
    }
    EXPECT_EQ(budget.held(), 0U);
  }
}

}  // namespace
}  // namespace slipstream::flight
