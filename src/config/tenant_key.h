// A tenant's key as it stands in the configuration: in clear, or as its keyed hash.
//
// The hash lets a file be shown around: `hmac:` and 64 hexadecimal digits, as `slipstream hash-key`
// prints it. It is HMAC-SHA-256 under scope.secret, so it is worth nothing without that.
// Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"

namespace slipstream::config {

// A key in clear of a length worth the name, or a well-formed hash. What begins with `hmac:` is
// never a key in clear.
bool is_tenant_key(std::string_view text);
bool is_key_hash(std::string_view text);

// `mac` is keyed with scope.secret.
DigestBytes hash_of_key(HmacSha256& mac, std::string_view key_in_clear);
std::string format_key_hash(const DigestBytes& hash);
// The hash that `text` is, or that of the key that it is in clear. Precondition: is_tenant_key().
DigestBytes hash_of_configured(HmacSha256& mac, std::string_view text);

}  // namespace slipstream::config
