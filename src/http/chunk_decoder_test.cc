// llhttp is the oracle: whatever both accept they read alike, and llhttp refuses nothing that this
// decoder accepts except some extensions, which it knows more narrowly.
#include "http/chunk_decoder.h"

#include <llhttp.h>

#include <optional>
#include <random>
#include <string>

#include "gtest/gtest.h"

namespace slipstream::http {
namespace {

struct Decoded {
  std::string body;
  std::size_t bytes = 0;  // of the encoded form
  bool operator==(const Decoded&) const = default;
};

// Nothing if the text is refused or incomplete.
std::optional<Decoded> decode(std::string_view text) {
  ChunkDecoder decoder{Limits{}};
  Decoded out;
  std::string_view input = text;
  for (;;) {
    std::string_view data;
    switch (decoder.next(input, data, UINT64_MAX)) {
      case ChunkDecoder::Step::kData:
        out.body += data;
        break;
      case ChunkDecoder::Step::kEnd:
        out.bytes = text.size() - input.size();
        return out;
      default:
        return std::nullopt;
    }
  }
}

std::optional<Decoded> decode_with_llhttp(std::string_view text) {
  llhttp_settings_t settings;
  llhttp_settings_init(&settings);
  settings.on_body = [](llhttp_t* parser, const char* at, std::size_t size) {
    static_cast<Decoded*>(parser->data)->body.append(at, size);
    return 0;
  };
  settings.on_message_complete = [](llhttp_t*) { return static_cast<int>(HPE_PAUSED); };
  const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string message = head + std::string(text);
  Decoded out;
  llhttp_t parser;
  llhttp_init(&parser, HTTP_REQUEST, &settings);
  parser.data = &out;
  if (llhttp_execute(&parser, message.data(), message.size()) != HPE_PAUSED) return std::nullopt;
  out.bytes =
      static_cast<std::size_t>(llhttp_get_error_pos(&parser) - message.data()) - head.size();
  return out;
}

std::string make_body(std::mt19937& random) {
  std::string text;
  for (std::size_t n = random() % 4; n > 0; --n) {
    const std::size_t size = 1 + random() % 40;
    char digits[20];
    std::snprintf(digits, sizeof digits, random() % 2 == 0 ? "%zx" : "%04zX", size);
    text += digits + std::string(random() % 5 == 0 ? ";e=1" : "") + "\r\n";
    text += std::string(size, "x\r\n0"[random() % 4]) + "\r\n";
  }
  return text + "0\r\n" + (random() % 3 == 0 ? "X-T: y\r\n" : "") + "\r\n" +
         (random() % 2 == 0 ? "GET" : "");
}

TEST(ChunkDecoder, AgreesWithLlhttp) {
  std::mt19937 random(11);
  const std::string_view bytes("\r\n0159afFg;: \t=\"x\0\x80", 19);
  int accepted = 0;
  for (int round = 0; round < 60000; ++round) {
    std::string text = make_body(random);
    for (std::size_t n = random() % 3; n > 0; --n) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = bytes[random() % bytes.size()];
          break;
        case 1:
          text.insert(at, 1, bytes[random() % bytes.size()]);
          break;
        default:
          text.erase(at, 1);
          break;
      }
      if (text.empty()) text = "0";
    }
    const auto ours = decode(text);
    if (!ours) continue;
    ++accepted;
    const auto theirs = decode_with_llhttp(text);
    if (!theirs && text.find(';') != std::string::npos) continue;
    ASSERT_TRUE(theirs.has_value()) << text;
    ASSERT_EQ(ours->body, theirs->body) << text;
    ASSERT_EQ(ours->bytes, theirs->bytes) << text;
  }
  EXPECT_GT(accepted, 15000);
}

TEST(ChunkDecoder, CanBeUsedAgain) {
  ChunkDecoder decoder{Limits{}};
  for (int round = 0; round < 3; ++round) {
    std::string_view input = "1\r\nx\r\n0\r\nT: 1\r\n\r\n", data;
    ASSERT_EQ(decoder.next(input, data, 1), ChunkDecoder::Step::kData);
    ASSERT_EQ(decoder.next(input, data, 1), ChunkDecoder::Step::kEnd);
    decoder.reset();
  }
}

}  // namespace
}  // namespace slipstream::http
