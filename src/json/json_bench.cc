// Cost of the canonical form by body size; ns per byte is 1 / bytes_per_second.
#include <benchmark/benchmark.h>

#include <string>

#include "json/canonical.h"

namespace {

// A chat body whose weight is one long message; every `newline_every` bytes an escape.
std::string chat_body(std::size_t bytes, std::size_t newline_every) {
  std::string text;
  while (text.size() < bytes) {
    text += newline_every != 0 && text.size() % newline_every == 0 ? "\\n" : "x";
  }
  return R"({"model":"llama-3.1-8b","messages":[{"role":"system","content":"You are helpful."},)"
         R"({"role":"user","content":")" +
         text + R"("}],"temperature":0,"max_tokens":256,"stream":true})";
}

void canonical(benchmark::State& state, std::size_t newline_every) {
  const std::string body = chat_body(static_cast<std::size_t>(state.range(0)) - 180, newline_every);
  slipstream::json::Canonicalizer canonicalizer;
  std::string out;
  for (auto _ : state) {
    out.clear();
    benchmark::DoNotOptimize(canonicalizer.append(body, out).ok());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
}
void canonical_plain(benchmark::State& state) {
  canonical(state, 0);
}
void canonical_lines(benchmark::State& state) {
  canonical(state, 60);
}

void canonical_numbers(benchmark::State& state) {
  std::string body = R"({"messages":[)";
  while (body.size() < static_cast<std::size_t>(state.range(0))) body += "12345,";
  body += "0]}";
  slipstream::json::Canonicalizer canonicalizer;
  std::string out;
  for (auto _ : state) {
    out.clear();
    benchmark::DoNotOptimize(canonicalizer.append(body, out).ok());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
}

BENCHMARK(canonical_plain)->Arg(1 << 10)->Arg(32 << 10)->Arg(1 << 20);
BENCHMARK(canonical_lines)->Arg(1 << 10)->Arg(32 << 10)->Arg(1 << 20);
BENCHMARK(canonical_numbers)->Arg(32 << 10);

}  // namespace
