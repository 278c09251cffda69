#include <array>
#include <bit>
#include <cstdlib>

#include "base/random.h"
#include "base/text.h"
#include "json/escape.h"
#include "lab/answer.h"

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

}  // namespace

std::string embeddings_answer(const StubRequest& request, std::uint64_t call) {
  std::string out = R"({"object":"list","id":"embd-)";
  append_decimal(out, call);
  out += R"(","data":[)";
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    if (i) out += ',';
    out += R"({"object":"embedding","index":)";
    append_decimal(out, i);
    out += R"(,"embedding":)";
    append_vector(out, request.inputs[i], request.dimensions, request.encoding);
    out += '}';
  }
  out += R"(],"model":)";
  json::append_quoted(out, request.model);
  out += R"(,"usage":{"prompt_tokens":)";
  append_decimal(out, request.prompt_tokens);
  out += R"(,"total_tokens":)";
  append_decimal(out, request.prompt_tokens);
  out += "}}";
  return out;
}

}  // namespace slipstream::lab
