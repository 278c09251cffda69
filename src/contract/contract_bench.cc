// Cost of one examination by body size: canonical form, verdict and key, warm.
#include "contract/contract.h"

#include <benchmark/benchmark.h>

#include <iterator>

#include "http/parser.h"

namespace {

using namespace slipstream;

http::Head head_with(const std::string& content_type) {
  const std::string text =
      "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer abcdef\r\n"
      "Content-Type: " +
      content_type +
      "\r\nAccept: application/json\r\nUser-Agent: OpenAI/JS 7\r\n"
      "X-Stainless-Lang: js\r\nX-Stainless-Retry-Count: 0\r\nContent-Length: 1\r\n\r\n";
  http::Parser parser(http::Parser::Kind::kRequest, http::Limits{});
  std::string_view input = text;
  while (parser.next(input) != http::Parser::Step::kHead) {
  }
  return parser.take_head();
}

http::Head usual_head() {
  return head_with("application/json");
}

http::Head form_head() {
  return head_with("multipart/form-data; boundary=B");
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

// A request of each surface, with 700 bytes of text in it.
struct Request {
  contract::Surface surface;
  const char* before;
  const char* after;
};
constexpr Request kRequests[] = {
    {contract::Surface::kChatCompletions, R"({"model":"m","messages":[{"role":"user","content":")",
     R"("}],"temperature":0,"stream":true})"},
    {contract::Surface::kCompletions, R"({"model":"m","prompt":")",
     R"(","temperature":0,"max_tokens":9})"},
    {contract::Surface::kEmbeddings, R"({"model":"m","input":[")",
     R"("],"encoding_format":"base64"})"},
    {contract::Surface::kResponses, R"({"model":"m","input":")",
     R"(","temperature":0,"store":false})"},
    {contract::Surface::kRerank, R"({"model":"m","query":"q","documents":[")", R"("],"top_n":1})"},
    {contract::Surface::kTokenize, R"({"model":"m","prompt":")", R"("})"},
    {contract::Surface::kMessages,
     R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":")",
     R"("}],"metadata":{"user_id":"u"}})"},
    {contract::Surface::kCountTokens, R"({"model":"m","messages":[{"role":"user","content":")",
     R"("}]})"},
    {contract::Surface::kOllamaChat, R"({"model":"m","messages":[{"role":"user","content":")",
     R"("}],"options":{"temperature":0,"seed":7},"keep_alive":"5m"})"},
    {contract::Surface::kOllamaGenerate, R"({"model":"m","prompt":")",
     R"(","options":{"temperature":0}})"},
    {contract::Surface::kOllamaEmbed, R"({"model":"m","input":[")", R"("]})"},
    {contract::Surface::kTranscriptions,
     "--B\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nw\r\n--B\r\n"
     "Content-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\n",
     "\r\n--B--\r\n"},
};

void examine_surface(benchmark::State& state) {
  const Request& request = kRequests[state.range(0)];
  const bool form = row_of(request.surface).body == contract::BodyKind::kMultipart;
  const http::Head head = form ? form_head() : usual_head();
  const std::string body = request.before + std::string(700, 'x') + request.after;
  const contract::Policy policy;
  contract::Examiner examiner("secret");
  for (auto _ : state) {
    const auto contract = examiner.examine(request.surface, head, body, {}, policy);
    benchmark::DoNotOptimize(contract->key);
  }
  state.SetLabel(std::string(to_string(request.surface)));
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
BENCHMARK(examine_surface)->DenseRange(0, std::size(kRequests) - 1);
BENCHMARK(scope_of);
BENCHMARK(scope_of_again);

}  // namespace
