// The configured tenants, found by the key that a caller presents or by name.
//
// Keeps keyed hashes, never keys. A presented key is hashed, the hash is looked up by its first
// bytes, which tell an attacker nothing without the secret, and compared in constant time.
// Thread rule: any thread; what is found is constant but for its quota, which any thread may use.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/secret.h"
#include "config/settings.h"
#include "tenant/quota.h"

namespace slipstream::tenant {

struct Tenant {
  Tenant(const config::Tenant& from, const DigestBytes& its_scope)
      : name(from.name),
        scope(its_scope),
        upstream_credential(from.upstream_credential),
        quota(from.requests_per_minute, from.tokens_per_minute) {}

  const std::string name;
  const DigestBytes scope;
  const Secret upstream_credential;  // empty: the caller's own is passed on
  Quota quota;
};

// Scopes that no credential gives. The kinds never meet: a tenant called `x` and a trusted header
// that says `x` are two scopes.
enum class ScopeKind { kTenant, kTrusted, kPublic };
DigestBytes named_scope(HmacSha256& mac, ScopeKind kind, std::string_view name);

class Directory {
 public:
  // Precondition: names and keys are unique (config::load() sees to it).
  Directory(const std::vector<config::Tenant>& tenants, std::string_view scope_secret);

  bool empty() const { return tenants_.empty(); }
  // The tenant whose key that is; null if it is nobody's. `mac` is keyed with the scope's secret:
  // each thread brings its own.
  Tenant* find(HmacSha256& mac, std::string_view key) const;
  Tenant* find_name(std::string_view name) const;

 private:
  struct Key {
    DigestBytes hash;
    Tenant* tenant;
  };

  std::deque<Tenant> tenants_;
  std::vector<Key> keys_;  // by index_of(hash)
};

}  // namespace slipstream::tenant
