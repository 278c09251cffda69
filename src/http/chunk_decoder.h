// Decodes one chunked body (RFC 9112 section 7.1) as views into the input.
//
// Strict: CRLF only, 1 to 16 hexadecimal digits, an extension of at most 256 bytes (dropped), a
// bounded and well-formed trailer section (dropped: a trailer never becomes a header field).
// llhttp is its oracle in chunk_decoder_test.cc: whatever this accepts, llhttp reads the same way.
// One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/limits.h"
#include "http/refusal.h"
#include "http/section.h"

namespace slipstream::http {

class ChunkDecoder {
 public:
  enum class Step { kNeedMore, kData, kEnd, kRefused };

  explicit ChunkDecoder(const Limits& limits);

  // Consumes from the front of `input`. kData: `data` is a view into what `input` was. A chunk that
  // would lift the decoded total above `bytes_max` is refused at its size line.
  Step next(std::string_view& input, std::string_view& data, std::uint64_t bytes_max);
  Refusal refusal() const { return refusal_; }
  void reset();

 private:
  enum class State { kSize, kExtension, kSizeLf, kData, kDataCr, kDataLf, kTrailer };

  Step take_data(std::string_view& input, std::string_view& data);
  Step read_trailer(std::string_view& input);
  Refusal framing_byte(char c, std::uint64_t bytes_max);
  Refusal size_byte(char c);
  Refusal begin_chunk(std::uint64_t bytes_max);

  State state_ = State::kSize;
  int digits_ = 0;
  int extension_bytes_ = 0;
  std::uint64_t chunk_left_ = 0;
  std::uint64_t total_ = 0;
  Section trailer_;
  std::string trailer_bytes_;
  Refusal refusal_ = Refusal::kNone;
};

}  // namespace slipstream::http
