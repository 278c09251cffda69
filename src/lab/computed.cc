#include "lab/computed.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <vector>

#include "base/random.h"
#include "base/text.h"
#include "json/escape.h"
#include "lab/fill.h"

namespace slipstream::lab {

namespace {

constexpr int kScale = 10'000;

// FNV-1a: equal inputs get equal vectors.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return value;
}

// A component in ten-thousandths, -1 to 1 without the ends.
int component(SeededRandom& random) {
  return static_cast<int>(random.below(2 * kScale - 1)) - (kScale - 1);
}

void append_number(std::string& out, int scaled) {
  if (scaled < 0) out += '-';
  std::string digits;
  append_decimal(digits, static_cast<std::uint64_t>(std::abs(scaled)));
  out += "0.";
  out.append(4 - digits.size(), '0');
  out += digits;
}

void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < have ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += j <= have ? kAlphabet[group >> (18 - 6 * j) & 63] : '=';
    }
  }
}

void append_vector(std::string& out, std::string_view input, int dimensions, Encoding encoding) {
  SeededRandom random(hash(input));
  if (encoding == Encoding::kFloat) {
    out += '[';
    for (int i = 0; i < dimensions; ++i) {
      if (i) out += ',';
      append_number(out, component(random));
    }
    out += ']';
    return;
  }
  std::string bytes;  // little-endian binary32, as OpenAI sends it
  for (int i = 0; i < dimensions; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(component(random)) / kScale);
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes += static_cast<char>(bits >> shift & 255);
  }
  out += '"';
  append_base64(out, bytes);
  out += '"';
}

// Gaps: $c the call, $m the model, $p prompt tokens, $v what `values` writes.
template <typename Values>
std::string filled(std::string_view pattern, const StubRequest& request, std::uint64_t call,
                   const Values& values) {
  std::string out;
  fill(out, pattern, [&](std::string& to, char gap) {
    if (gap == 'c') append_decimal(to, call);
    if (gap == 'm') json::append_quoted(to, request.model);
    if (gap == 'p') append_decimal(to, request.prompt_tokens);
    if (gap == 'v') values(to);
  });
  return out;
}

// A score in ten-thousandths that query and document decide.
std::uint64_t score(const StubRequest& request, const std::string& document) {
  return hash(request.query + document) % kScale;
}

}  // namespace

std::string embeddings_answer(const StubRequest& request, std::uint64_t call) {
  return filled(R"({"object":"list","id":"embd-$c","data":[$v],"model":$m,)"
                R"("usage":{"prompt_tokens":$p,"total_tokens":$p}})",
                request, call, [&](std::string& out) {
                  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
                    if (i) out += ',';
                    out += R"({"object":"embedding","index":)";
                    append_decimal(out, i);
                    out += R"(,"embedding":)";
                    append_vector(out, request.inputs[i], request.dimensions, request.encoding);
                    out += '}';
                  }
                });
}

std::string ollama_embed_answer(const StubRequest& request, std::uint64_t call) {
  return filled(R"({"model":$m,"embeddings":[$v],"total_duration":5000000,"load_duration":1000000,)"
                R"("prompt_eval_count":$p})",
                request, call, [&](std::string& out) {
                  for (const std::string& input : request.inputs) {
                    if (&input != &request.inputs.front()) out += ',';
                    append_vector(out, input, request.dimensions, Encoding::kFloat);
                  }
                });
}

std::string rerank_answer(const StubRequest& request, std::uint64_t call) {
  std::vector<std::size_t> order(request.inputs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const std::uint64_t left = score(request, request.inputs[a]);
    const std::uint64_t right = score(request, request.inputs[b]);
    return left != right ? left > right : a < b;
  });
  if (request.top_n > 0) {
    order.resize(std::min(order.size(), static_cast<std::size_t>(request.top_n)));
  }
  return filled(R"({"id":"rerank-$c","model":$m,"usage":{"total_tokens":$p},"results":[$v]})",
                request, call, [&](std::string& out) {
                  for (const std::size_t i : order) {
                    if (i != order.front()) out += ',';
                    out += R"({"index":)";
                    append_decimal(out, i);
                    const bool object = json::kind_of(request.inputs[i]) == json::Kind::kObject;
                    out += object ? R"(,"document":)" : R"(,"document":{"text":)";
                    out += request.inputs[i];
                    out += object ? R"(,"relevance_score":)" : R"(},"relevance_score":)";
                    append_number(out, static_cast<int>(score(request, request.inputs[i])));
                    out += '}';
                  }
                });
}

std::string tokenize_answer(const StubRequest& request, std::uint64_t call) {
  return filled(R"({"count":$p,"max_model_len":8192,"tokens":[$v],"token_strs":null})", request,
                call, [&](std::string& out) {
                  SeededRandom random(hash(request.inputs.empty() ? "" : request.inputs[0]));
                  for (std::uint64_t i = 0; i < request.prompt_tokens; ++i) {
                    if (i) out += ',';
                    append_decimal(out, random.below(32'000));
                  }
                });
}

std::string count_tokens_answer(const StubRequest& request, std::uint64_t call) {
  return filled(R"({"input_tokens":$p})", request, call, [](std::string&) {});
}

}  // namespace slipstream::lab
