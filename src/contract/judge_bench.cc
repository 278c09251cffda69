#include <string>

#include "benchmark/benchmark.h"
#include "contract/judge.h"

namespace slipstream::contract {
namespace {

JudgeMemory& memory() {
  static JudgeMemory shared;
  return shared;
}

const std::string kChunk =
    "data: {\"id\":\"chatcmpl-8f2a\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,"
    "\"model\":\"llama-3.1-8b\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" token\"},"
    "\"logprobs\":null,\"finish_reason\":null}]}\n\n";

void BM_ObserveChatChunk(benchmark::State& state) {
  StreamJudge judge(memory(), Surface::kChatCompletions);
  for (auto _ : state) benchmark::DoNotOptimize(judge.observe(kChunk));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kChunk.size()));
}
BENCHMARK(BM_ObserveChatChunk);

void BM_FirstEventOfAStream(benchmark::State& state) {
  for (auto _ : state) {
    StreamJudge judge(memory(), Surface::kChatCompletions);
    benchmark::DoNotOptimize(judge.observe(kChunk));
  }
}
BENCHMARK(BM_FirstEventOfAStream);

const std::string kAnswer =
    R"({"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"m","choices":[)"
    R"({"index":0,"message":{"role":"assistant","content":")" +
    std::string(360, 'y') +
    R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":200,"completion_tokens":60}})";

void BM_JudgeBody(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(judge_body(kAnswer, Surface::kChatCompletions, memory()));
}
BENCHMARK(BM_JudgeBody);

void BM_MayBeError(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(may_be_error(kAnswer));
}
BENCHMARK(BM_MayBeError);

}  // namespace
}  // namespace slipstream::contract
