#include "identity/facts.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"

namespace slipstream::identity {

namespace {
constexpr std::size_t kShownBytesMax = 96;
constexpr std::size_t kShownDigits = 32;
}  // namespace

std::string sha256_hex(std::string_view bytes) {
  const DigestBytes digest = Sha256().of(bytes);
  return hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string hashed(std::string_view text) {
  return "sha256:" + sha256_hex(text).substr(0, kShownDigits);
}

std::string shown(std::string_view text) {
  const bool plain = std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte >= 0x7f;  // beyond ASCII there are controls, too
  });
  return plain && text.size() <= kShownBytesMax ? std::string(text) : hashed(text);
}

bool prints_date(std::string_view chat_template) {
  std::string lower(chat_template);
  std::transform(lower.begin(), lower.end(), lower.begin(), ascii_lower);
  static constexpr std::string_view kMarks[] = {"strftime", "date", "today", "now("};
  return std::any_of(std::begin(kMarks), std::end(kMarks),
                     [&](std::string_view mark) { return lower.find(mark) != std::string::npos; });
}

}  // namespace slipstream::identity
