#include "http/chunk_decoder.h"

#include <algorithm>

#include "http/head_reader.h"
#include "http/syntax.h"

namespace slipstream::http {
namespace {

constexpr int kDigitsMax = 16;
constexpr int kExtensionBytesMax = 256;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

ChunkDecoder::ChunkDecoder(const Limits& limits) : trailer_(Section::Kind::kTrailer, limits) {}

void ChunkDecoder::reset() {
  state_ = State::kSize;
  digits_ = 0;
  extension_bytes_ = 0;
  chunk_left_ = 0;
  total_ = 0;
  trailer_.reset();
  trailer_bytes_.clear();
  refusal_ = Refusal::kNone;
}

ChunkDecoder::Step ChunkDecoder::next(std::string_view& input, std::string_view& data,
                                      std::uint64_t bytes_max) {
  while (!input.empty()) {
    if (state_ == State::kData) return take_data(input, data);
    if (state_ == State::kTrailer) return read_trailer(input);
    refusal_ = framing_byte(input.front(), bytes_max);
    if (refusal_ != Refusal::kNone) return Step::kRefused;
    input.remove_prefix(1);
  }
  return Step::kNeedMore;
}

ChunkDecoder::Step ChunkDecoder::take_data(std::string_view& input, std::string_view& data) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_left_, input.size()));
  data = input.substr(0, taken);
  input.remove_prefix(taken);
  chunk_left_ -= taken;
  total_ += taken;
  if (chunk_left_ == 0) state_ = State::kDataCr;
  return Step::kData;
}

ChunkDecoder::Step ChunkDecoder::read_trailer(std::string_view& input) {
  switch (trailer_.read(input, trailer_bytes_)) {
    case Section::Step::kNeedMore:
      return Step::kNeedMore;
    case Section::Step::kRefused:
      refusal_ = trailer_.refusal();
      return Step::kRefused;
    case Section::Step::kEnd:
      break;
  }
  std::string_view rest = trailer_bytes_;  // every line of a section ends in CRLF
  for (std::size_t lf = rest.find('\n'); lf != 1; lf = rest.find('\n')) {
    if (!is_field_line(rest.substr(0, lf - 1))) {
      refusal_ = Refusal::kBadField;
      return Step::kRefused;
    }
    rest.remove_prefix(lf + 1);
  }
  return Step::kEnd;
}

Refusal ChunkDecoder::framing_byte(char c, std::uint64_t bytes_max) {
  switch (state_) {
    case State::kSize:
      return size_byte(c);
    case State::kExtension:
      if (c == '\r') {
        state_ = State::kSizeLf;
        return Refusal::kNone;
      }
      if (++extension_bytes_ > kExtensionBytesMax || !is_field_text({&c, 1})) {
        return Refusal::kBadFraming;
      }
      return Refusal::kNone;
    case State::kSizeLf:
      return c == '\n' ? begin_chunk(bytes_max) : Refusal::kBadFraming;
    case State::kDataCr:
      state_ = State::kDataLf;
      return c == '\r' ? Refusal::kNone : Refusal::kBadFraming;
    case State::kDataLf:
      state_ = State::kSize;
      return c == '\n' ? Refusal::kNone : Refusal::kBadFraming;
    case State::kData:
    case State::kTrailer:
      break;
  }
  return Refusal::kBadFraming;
}

Refusal ChunkDecoder::size_byte(char c) {
  const int digit = hex_value(c);
  if (digit >= 0) {
    if (++digits_ > kDigitsMax) return Refusal::kBadFraming;
    chunk_left_ = chunk_left_ << 4 | static_cast<unsigned>(digit);
    return Refusal::kNone;
  }
  if (digits_ == 0) return Refusal::kBadFraming;
  if (c == ';') {
    state_ = State::kExtension;
  } else if (c == '\r') {
    state_ = State::kSizeLf;
  } else {
    return Refusal::kBadFraming;
  }
  return Refusal::kNone;
}

// The size line is whole. Keeps total_ + chunk_left_ <= bytes_max, so nothing can overflow.
Refusal ChunkDecoder::begin_chunk(std::uint64_t bytes_max) {
  digits_ = 0;
  extension_bytes_ = 0;
  if (total_ > bytes_max || chunk_left_ > bytes_max - total_) return Refusal::kBodyTooLarge;
  state_ = chunk_left_ == 0 ? State::kTrailer : State::kData;
  return Refusal::kNone;
}

}  // namespace slipstream::http
