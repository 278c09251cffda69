#include "tenant/directory.h"

#include <algorithm>
#include <cstring>

#include "config/tenant_key.h"

namespace slipstream::tenant {
namespace {

std::uint64_t index_of(const DigestBytes& hash) {
  std::uint64_t index = 0;
  std::memcpy(&index, hash.data(), sizeof index);
  return index;
}

}  // namespace

DigestBytes named_scope(HmacSha256& mac, ScopeKind kind, std::string_view name) {
  std::string text = kind == ScopeKind::kTenant    ? "slipstream tenant\n"
                     : kind == ScopeKind::kTrusted ? "slipstream trusted\n"
                                                   : "slipstream public\n";
  return mac.of(text.append(name));
}

Directory::Directory(const std::vector<config::Tenant>& tenants, std::string_view scope_secret) {
  HmacSha256 mac(scope_secret);
  for (const config::Tenant& from : tenants) {
    Tenant& tenant = tenants_.emplace_back(from, named_scope(mac, ScopeKind::kTenant, from.name));
    for (const Secret& key : from.keys) {
      keys_.push_back({config::hash_of_configured(mac, key.reveal()), &tenant});
    }
  }
  std::ranges::sort(keys_, {}, [](const Key& key) { return index_of(key.hash); });
}

Tenant* Directory::find(HmacSha256& mac, std::string_view key) const {
  const DigestBytes hash = config::hash_of_key(mac, key);
  const auto range = std::ranges::equal_range(keys_, index_of(hash), {},
                                              [](const Key& k) { return index_of(k.hash); });
  for (const Key& candidate : range) {
    if (equal_in_constant_time(candidate.hash, hash)) return candidate.tenant;
  }
  return nullptr;
}

Tenant* Directory::find_name(std::string_view name) const {
  const auto found = std::ranges::find(tenants_, name, &Tenant::name);
  // The tenants are this directory's own; constant is only the list of them.
  return found == tenants_.end() ? nullptr : const_cast<Tenant*>(&*found);
}

}  // namespace slipstream::tenant
