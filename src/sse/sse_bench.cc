#include <string>

#include "benchmark/benchmark.h"
#include "sse/splitter.h"

namespace slipstream::sse {
namespace {

std::string make_stream(std::size_t events, std::size_t event_bytes) {
  std::string stream;
  for (std::size_t i = 0; i < events; ++i) {
    stream += "data: " + std::string(event_bytes - 8, 'x') + "\n\n";
  }
  return stream;
}

// Argument: bytes of one event. A read of 16 KB at a time, as the gateway sees it.
void BM_Split(benchmark::State& state) {
  const auto event_bytes = static_cast<std::size_t>(state.range(0));
  const std::string stream = make_stream(64 * 1024 / event_bytes + 1, event_bytes);
  for (auto _ : state) {
    Splitter splitter;
    Event event;
    for (std::size_t at = 0; at < stream.size(); at += 16 * 1024) {
      std::string_view input = std::string_view(stream).substr(at, 16 * 1024);
      while (splitter.next(input, event) == Splitter::Step::kEvent) {
        benchmark::DoNotOptimize(event.raw.data());
      }
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(stream.size()));
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(stream.size() / event_bytes));
}
BENCHMARK(BM_Split)->Arg(200)->Arg(1000)->Arg(16 * 1024);

void BM_ParseFields(benchmark::State& state) {
  const std::string event = make_stream(1, 200);
  std::string scratch;
  for (auto _ : state) benchmark::DoNotOptimize(parse_fields(event, scratch).data.data());
}
BENCHMARK(BM_ParseFields);

}  // namespace
}  // namespace slipstream::sse
