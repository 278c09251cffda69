#include <llhttp.h>

#include <string>

#include "benchmark/benchmark.h"
#include "http/parser.h"

namespace slipstream::http {
namespace {

const std::string kRequest =
    "POST /v1/chat/completions HTTP/1.1\r\nHost: gateway.example:8080\r\n"
    "Accept: application/json\r\nContent-Type: application/json\r\nUser-Agent: OpenAI/JS 7.5\r\n"
    "X-Stainless-Lang: js\r\nX-Stainless-Retry-Count: 0\r\nAuthorization: Bearer sk-0123456789\r\n"
    "Accept-Encoding: gzip, deflate\r\nConnection: keep-alive\r\nContent-Length: 1024\r\n\r\n" +
    std::string(1024, 'x');

const std::string kResponse =
    "HTTP/1.1 200 OK\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\nserver: uvicorn\r\n"
    "content-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"
    "200\r\n" +
    std::string(512, 'x') + "\r\n200\r\n" + std::string(512, 'x') + "\r\n0\r\n\r\n";

void parse(benchmark::State& state, Parser::Kind kind, const std::string& message) {
  Parser parser(kind, Limits{});
  for (auto _ : state) {
    std::string_view input = message;
    Parser::Step step;
    while ((step = parser.next(input)) != Parser::Step::kComplete) {
      if (step == Parser::Step::kRefused) state.SkipWithError("refused");
      benchmark::DoNotOptimize(parser.body().data());
    }
  }
}

void BM_Request1K(benchmark::State& state) {
  parse(state, Parser::Kind::kRequest, kRequest);
}
void BM_Response1K(benchmark::State& state) {
  parse(state, Parser::Kind::kResponse, kResponse);
}
BENCHMARK(BM_Request1K);
BENCHMARK(BM_Response1K);

// The floor: llhttp alone over the same bytes, without a single callback.
void llhttp_alone(benchmark::State& state, llhttp_type_t type, const std::string& message) {
  llhttp_settings_t settings;
  llhttp_settings_init(&settings);
  for (auto _ : state) {
    llhttp_t parser;
    llhttp_init(&parser, type, &settings);
    benchmark::DoNotOptimize(llhttp_execute(&parser, message.data(), message.size()));
  }
}
void BM_LlhttpRequest1K(benchmark::State& state) {
  llhttp_alone(state, HTTP_REQUEST, kRequest);
}
void BM_LlhttpResponse1K(benchmark::State& state) {
  llhttp_alone(state, HTTP_RESPONSE, kResponse);
}
BENCHMARK(BM_LlhttpRequest1K);
BENCHMARK(BM_LlhttpResponse1K);

}  // namespace
}  // namespace slipstream::http
