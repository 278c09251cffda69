// SHA-256 and HMAC-SHA-256 with everything OpenSSL would look up or allocate done once.
// One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

extern "C" {
typedef struct evp_md_st EVP_MD;
typedef struct evp_md_ctx_st EVP_MD_CTX;
typedef struct evp_mac_ctx_st EVP_MAC_CTX;
}

namespace slipstream {

using DigestBytes = std::array<std::uint8_t, 32>;

// In a time that does not depend on where the two differ.
bool equal_in_constant_time(const DigestBytes& a, const DigestBytes& b);

class Sha256 {
 public:
  Sha256();  // throws std::runtime_error if OpenSSL has no SHA-256
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  DigestBytes of(std::string_view bytes);

 private:
  EVP_MD* algorithm_;
  EVP_MD_CTX* context_;
};

class HmacSha256 {
 public:
  explicit HmacSha256(std::string_view key);  // throws as Sha256 does
  ~HmacSha256();
  HmacSha256(const HmacSha256&) = delete;
  HmacSha256& operator=(const HmacSha256&) = delete;
  DigestBytes of(std::string_view bytes);

 private:
  EVP_MAC_CTX* context_;
};

}  // namespace slipstream
