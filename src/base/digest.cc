#include "base/digest.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <stdexcept>

#include "base/check.h"

namespace slipstream {
namespace {

const unsigned char* data_of(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

bool equal_in_constant_time(const DigestBytes& a, const DigestBytes& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Sha256::Sha256()
    : algorithm_(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context_(EVP_MD_CTX_new()) {
  if (algorithm_ == nullptr || context_ == nullptr) throw std::runtime_error("no SHA-256");
}

Sha256::~Sha256() {
  EVP_MD_CTX_free(context_);
  EVP_MD_free(algorithm_);
}

DigestBytes Sha256::of(std::string_view bytes) {
  DigestBytes digest;
  SLIP_CHECK(EVP_DigestInit_ex2(context_, algorithm_, nullptr) == 1);
  SLIP_CHECK(EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1);
  SLIP_CHECK(EVP_DigestFinal_ex(context_, digest.data(), nullptr) == 1);
  return digest;
}

HmacSha256::HmacSha256(std::string_view key) {
  EVP_MAC* const algorithm = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  context_ = algorithm == nullptr ? nullptr : EVP_MAC_CTX_new(algorithm);
  EVP_MAC_free(algorithm);
  char name[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
                                   OSSL_PARAM_construct_end()};
  // OpenSSL reads a null key as "keep the key", so an empty one still needs an address.
  const std::string_view safe_key = key.data() == nullptr ? std::string_view("") : key;
  if (context_ == nullptr ||
      EVP_MAC_init(context_, data_of(safe_key), safe_key.size(), parameters) != 1) {
    EVP_MAC_CTX_free(context_);
    throw std::runtime_error("no HMAC-SHA-256");
  }
}

HmacSha256::~HmacSha256() {
  EVP_MAC_CTX_free(context_);
}

DigestBytes HmacSha256::of(std::string_view bytes) {
  DigestBytes digest;
  std::size_t size = 0;
  SLIP_CHECK(EVP_MAC_init(context_, nullptr, 0, nullptr) == 1);  // same key again
  SLIP_CHECK(EVP_MAC_update(context_, data_of(bytes), bytes.size()) == 1);
  SLIP_CHECK(EVP_MAC_final(context_, digest.data(), &size, digest.size()) == 1);
  return digest;
}

}  // namespace slipstream
