// Cost of one examination by body size: canonical form, verdict and key, warm.
#include "contract/contract.h"

#include <benchmark/benchmark.h>

#include "http/parser.h"

namespace {

using namespace slipstream;

http::Head usual_head() {
  const std::string text =
      "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer abcdef\r\n"
      "Content-Type: application/json\r\nAccept: application/json\r\nUser-Agent: OpenAI/JS 7\r\n"
      "X-Stainless-Lang: js\r\nX-Stainless-Retry-Count: 0\r\nContent-Length: 1\r\n\r\n";
  http::Parser parser(http::Parser::Kind::kRequest, http::Limits{});
  std::string_view input = text;
  while (parser.next(input) != http::Parser::Step::kHead) {
  }
  return parser.take_head();
}

void examine(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const std::string body =
      R"({"model":"llama-3.1-8b","messages":[{"role":"system","content":"You are helpful."},)"
      R"({"role":"user","content":")" +
      std::string(bytes - 180, 'x') + R"("}],"temperature":0,"max_tokens":256,"stream":true})";
  const http::Head head = usual_head();
  const contract::Policy policy;
  contract::Examiner examiner("secret");
  const contract::Scope scope = examiner.scope_of(head);
  for (auto _ : state) {
    const auto contract =
        examiner.examine(contract::Surface::kChatCompletions, head, body, scope, policy);
    benchmark::DoNotOptimize(contract->key);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
}

void scope_of(benchmark::State& state) {
  const http::Head head = usual_head();
  contract::Examiner examiner("secret");
  for (auto _ : state) benchmark::DoNotOptimize(examiner.scope_of(head));
}

void scope_of_again(benchmark::State& state) {
  const http::Head head = usual_head();
  contract::Examiner examiner("secret");
  contract::ScopeMemo memo;
  for (auto _ : state) benchmark::DoNotOptimize(examiner.scope_of(head, memo));
}

BENCHMARK(examine)->Arg(1 << 10)->Arg(32 << 10)->Arg(1 << 20);
BENCHMARK(scope_of);
BENCHMARK(scope_of_again);

}  // namespace
