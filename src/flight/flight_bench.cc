// Cost of the flight's own work, without sockets: what a token and a caller pay for sharing.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "flight/fake_flight.h"
#include "flight/hall.h"
#include "flight/table.h"

namespace slipstream::flight {
namespace {

class NoPort final : public WakePort {
 public:
  void wake(FlightRef) override {}
};

// One event of 200 bytes: appended, published, read by N cursors.
void AppendPeekAdvance(benchmark::State& state) {
  ReplayBudget budget(1ULL << 40);
  ReplayLog log(budget);
  std::vector<Cursor> cursors;
  for (std::int64_t i = 0; i < state.range(0); ++i) cursors.push_back(log.attach());
  log.release_head();
  const std::string event(200, 'x');
  iovec pieces[16];
  for (auto _ : state) {
    log.append(event);
    log.publish();
    for (Cursor& cursor : cursors) {
      benchmark::DoNotOptimize(cursor.peek(pieces, 16));
      cursor.advance(event.size());
    }
  }
}
BENCHMARK(AppendPeekAdvance)->Arg(1)->Arg(8)->Arg(64);

// A caller that shares with nobody: flight, log, table, gone.
void OpenAndAbandon(benchmark::State& state) {
  ReplayBudget budget(1ULL << 40);
  FlightTable table{Bounds{}};
  for (auto _ : state) {
    auto entry = table.enter(make_flight(budget, nullptr), Time{}, seconds(1));
    benchmark::DoNotOptimize(table.leave(*entry.flight, Time{}));
  }
}
BENCHMARK(OpenAndAbandon);

// A follower: joins a live flight and leaves it.
void JoinAndLeave(benchmark::State& state) {
  ReplayBudget budget(1ULL << 40);
  FlightTable table{Bounds{}};
  const auto flight = make_flight(budget, nullptr);
  const auto spare = make_flight(budget, nullptr);
  const auto leader = table.enter(flight, Time{}, seconds(1));
  for (auto _ : state) {
    auto entry = table.enter(spare, Time{}, seconds(1));
    benchmark::DoNotOptimize(table.leave(*entry.flight, Time{}));
  }
}
BENCHMARK(JoinAndLeave);

class Idle final : public Subscriber {
 public:
  void on_progress() override { benchmark::DoNotOptimize(++calls); }
  int calls = 0;
};

// One announcement to N subscribers of the home worker, all slices; per announcement.
void Announce(benchmark::State& state) {
  NoPort port;
  WakePort* ports[] = {&port};
  ReplayBudget budget(1ULL << 40);
  FlightTable table{Bounds{}};
  const auto flight = make_flight(budget, ports);
  const auto entry = table.enter(flight, Time{}, seconds(1));
  Hall hall(0);
  std::vector<std::unique_ptr<Idle>> readers;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    readers.push_back(std::make_unique<Idle>());
    hall.enter(*flight, *readers.back());
  }
  for (auto _ : state) {
    hall.announce(*flight);
    for (std::int64_t told = Hall::kWritesPerSlice; told < state.range(0);
         told += Hall::kWritesPerSlice) {
      hall.attend(flight);
    }
  }
  for (const auto& reader : readers) hall.leave(*flight, *reader);
}
BENCHMARK(Announce)->Arg(1)->Arg(64)->Arg(1024);

}  // namespace
}  // namespace slipstream::flight
