#include "contract/contract.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace slipstream::contract {

std::string Key::short_hex() const {
  return full_hex().substr(0, 12);
}

std::string Key::full_hex() const {
  return hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::size_t KeyHash::operator()(const Key& key) const noexcept {
  std::size_t hash = 0;
  std::memcpy(&hash, key.bytes.data(), sizeof hash);
  return hash;
}

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::kGreedy:
      return "greedy";
    case Reason::kSeeded:
      return "seeded";
    case Reason::kPure:
      return "pure";
    case Reason::kSampledShared:
      return "sampled_shared";
    case Reason::kSampled:
      return "sampled";
    case Reason::kSeedUnproven:
      return "seed_unproven";
    case Reason::kSideEffect:
      return "side_effect";
    case Reason::kClock:
      return "clock";
    case Reason::kUnknownField:
      return "unknown_field";
    case Reason::kRemoteContent:
      return "remote_content";
    case Reason::kOptedOut:
      return "opted_out";
    case Reason::kDisabled:
      return "disabled";
    case Reason::kSurface:
      return "surface";
    case Reason::kEncodedBody:
      return "encoded_body";
    case Reason::kNotJson:
      return "not_json";
    case Reason::kMemory:
      return "memory";
    case Reason::kHttp10:
      return "http10";
  }
  return "unknown";
}

std::string Proof::text() const {
  // At most 64 bytes of the caller's word, and never half a character.
  constexpr std::size_t kShownMax = 64;
  std::string text(start);
  if (named) {
    std::size_t size = std::min(named->size(), kShownMax);
    while (size < named->size() && size > 0 &&
           (static_cast<unsigned char>((*named)[size]) & 0xc0) == 0x80) {
      --size;
    }
    text += '`';
    text += named->substr(0, size);
    text += '`';
  }
  text += end;
  return text;
}

}  // namespace slipstream::contract
