#include "config/tenant_key.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "config/scalar.h"

namespace slipstream::config {
namespace {

constexpr std::string_view kHashPrefix = "hmac:";
constexpr std::size_t kKeyBytesMin = 8;  // what --print-config shows instead of a key is shorter
constexpr std::size_t kKeyBytesMax = 1024;

std::uint8_t digit_of(char c) {
  return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10);
}

}  // namespace

bool is_key_hash(std::string_view text) {
  if (!text.starts_with(kHashPrefix)) return false;
  text.remove_prefix(kHashPrefix.size());
  return text.size() == 2 * DigestBytes().size() &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

bool is_tenant_key(std::string_view text) {
  if (text.starts_with(kHashPrefix)) return is_key_hash(text);
  return text.size() >= kKeyBytesMin && text.size() <= kKeyBytesMax && is_plain_text(text);
}

DigestBytes hash_of_key(HmacSha256& mac, std::string_view key_in_clear) {
  // The same secret keys the scopes of unconfigured credentials: the prefix keeps the two apart.
  return mac.of("slipstream key\n" + std::string(key_in_clear));
}

std::string format_key_hash(const DigestBytes& hash) {
  return std::string(kHashPrefix) + hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

DigestBytes hash_of_configured(HmacSha256& mac, std::string_view text) {
  SLIP_CHECK(is_tenant_key(text));
  if (!is_key_hash(text)) return hash_of_key(mac, text);
  text.remove_prefix(kHashPrefix.size());
  DigestBytes hash{};
  for (std::size_t i = 0; i < hash.size(); ++i) {
    hash[i] = static_cast<std::uint8_t>(digit_of(text[2 * i]) << 4 | digit_of(text[2 * i + 1]));
  }
  return hash;
}

}  // namespace slipstream::config
