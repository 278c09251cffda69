#include "telemetry/metrics.h"

#include <benchmark/benchmark.h>

namespace slipstream::telemetry {
namespace {

void add_counter(benchmark::State& state) {
  Metrics metrics({});
  Series& series = metrics.worker(0).series("chat", "model", "endpoint", "");
  for (auto _ : state) {
    series.add(Counter::kRequests);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(add_counter);

void add_labelled(benchmark::State& state) {
  Metrics metrics({});
  Series& series = metrics.worker(0).series("chat", "model", "endpoint", "");
  int value = 3;
  for (auto _ : state) {
    benchmark::DoNotOptimize(value);
    series.add(LabelledCounter::kVerdicts, value);
  }
}
BENCHMARK(add_labelled);

void observe(benchmark::State& state) {
  Metrics metrics({});
  Series& series = metrics.worker(0).series("chat", "model", "endpoint", "");
  double seconds = 0.37;
  for (auto _ : state) {
    benchmark::DoNotOptimize(seconds);
    series.observe(Histogram::kRequest, seconds);
  }
}
BENCHMARK(observe);

void find_series(benchmark::State& state) {
  Metrics metrics({});
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        &metrics.worker(0).series("chat", "Qwen/Qwen2.5-7B-Instruct", "10.0.0.1:8000", ""));
  }
}
BENCHMARK(find_series);

void expose_64_models(benchmark::State& state) {
  Metrics metrics({});
  for (int i = 0; i < 64; ++i) {
    Series& series = metrics.worker(0).series("chat", "model" + std::to_string(i), "e", "");
    series.add(Counter::kRequests);
    series.observe(Histogram::kRequest, 0.1);
  }
  for (auto _ : state) benchmark::DoNotOptimize(metrics.expose());
}
BENCHMARK(expose_64_models);

}  // namespace
}  // namespace slipstream::telemetry
