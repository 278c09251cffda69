// The stub and the load generator against each other.
#include <benchmark/benchmark.h>

#include <thread>

#include "lab/burst.h"
#include "lab/stub.h"

namespace slipstream::lab {
namespace {

// Requests a second of one stub on its own thread, asked by one generator on this one.
void burst_against_stub(benchmark::State& state) {
  const SystemClock clock;
  net::Reactor reactor(clock);
  Stub stub(reactor, {.script = {.tokens = static_cast<int>(state.range(0))}});
  BurstOptions options;
  options.url = "http://" + *stub.listen("127.0.0.1:0");
  options.groups = {{.callers = 64}};
  options.pace = Pace::kFree;
  options.requests = 20'000;
  std::thread server([&] { reactor.run(); });
  std::uint64_t requests = 0;
  for (auto _ : state) {
    const BurstReport report = run_burst(options, {});
    if (!report.all_sound()) state.SkipWithError(report.first_failure.c_str());
    requests += report.groups[0].requests;
  }
  state.counters["requests"] =
      benchmark::Counter(static_cast<double>(requests), benchmark::Counter::kIsRate);
  reactor.stop();
  server.join();
}
BENCHMARK(burst_against_stub)->Arg(1)->Arg(20)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace slipstream::lab
