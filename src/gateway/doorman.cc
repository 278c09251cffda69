#include "gateway/doorman.h"

#include <string>

#include "base/text.h"
#include "contract/headers.h"
#include "gateway/shared.h"
#include "tenant/network.h"

namespace slipstream::gateway {

namespace {

bool holds_key(std::string_view name) {
  return name == "authorization" || name == "x-api-key" || name == "api-key";
}

// RFC 6750 section 2.1; any other scheme is taken whole.
std::string_view key_of(const http::Head::Field& field) {
  constexpr std::string_view kBearer = "bearer ";
  const bool bearer =
      field.name == "authorization" && iequals(field.value.substr(0, kBearer.size()), kBearer);
  return bearer ? trim(field.value.substr(kBearer.size())) : field.value;
}

std::size_t count_of(const http::Head& head, std::string_view name) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < head.field_count(); ++i) count += head.field(i).name == name ? 1 : 0;
  return count;
}

}  // namespace

Doorman::Doorman(const Shared& shared, contract::Examiner& examiner)
    : shared_(shared),
      examiner_(examiner),
      guards_(!shared.tenants.empty() || !shared.settings.scope.trusted_addresses.empty()),
      mac_(shared.scope_secret) {}

std::optional<Party> Doorman::identify(const http::Head& head, std::string_view peer,
                                       contract::ScopeMemo& memo) {
  const auto own = [&] { return Party{nullptr, examiner_.scope_of(head, memo)}; };
  if (!guards_) return own();
  const config::Settings::Scope& settings = shared_.settings.scope;
  if (const std::size_t sent = count_of(head, settings.trusted_header);
      sent > 0 && tenant::is_inside(settings.trusted_addresses, peer)) {
    // The proxy added its word to the caller's: nobody knows whose is whose.
    if (sent > 1) return std::nullopt;
    const std::string_view name = head.find(settings.trusted_header);
    if (tenant::Tenant* tenant = shared_.tenants.find_name(name)) return party_of(*tenant, head);
    if (!shared_.tenants.empty() && settings.unknown_key == config::UnknownKey::kRefuse) {
      return std::nullopt;
    }
    return Party{nullptr, {tenant::named_scope(mac_, tenant::ScopeKind::kTrusted, name)}};
  }
  if (shared_.tenants.empty()) return own();
  const Presented keys = presented(head);
  if (keys.of == Presented::Of::kOneTenant) return party_of(*keys.tenant, head);
  // A tenant's key beside another one is no way out of its quota.
  if (keys.of == Presented::Of::kSeveral || settings.unknown_key == config::UnknownKey::kRefuse) {
    return std::nullopt;
  }
  return own();
}

// All keys must be one tenant's: the upstream might look at either.
Doorman::Presented Doorman::presented(const http::Head& head) {
  Presented keys;
  std::size_t count = 0;
  std::size_t found = 0;
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    const http::Head::Field field = head.field(i);
    if (!holds_key(field.name)) continue;
    ++count;
    tenant::Tenant* const tenant = shared_.tenants.find(mac_, key_of(field));
    if (tenant == nullptr) continue;
    ++found;
    if (keys.tenant != nullptr && keys.tenant != tenant) return {nullptr, Presented::Of::kSeveral};
    keys.tenant = tenant;
  }
  if (found > 0) keys.of = found == count ? Presented::Of::kOneTenant : Presented::Of::kSeveral;
  return keys;
}

// What else the credential says (an organization, a project) reaches the upstream with the caller's
// own key, so callers who say different things do not share.
Party Doorman::party_of(tenant::Tenant& tenant, const http::Head& head) {
  std::string more;
  for (std::size_t i = 0; tenant.upstream_credential.empty() && i < head.field_count(); ++i) {
    const auto [name, value] = head.field(i);
    if (contract::role_of(name) != contract::HeaderRole::kCredential || holds_key(name)) continue;
    more.append("\n").append(name).append(":").append(value);
  }
  if (more.empty()) return {&tenant, {tenant.scope}};
  return {&tenant, {tenant::named_scope(mac_, tenant::ScopeKind::kTenant, tenant.name + more)}};
}

}  // namespace slipstream::gateway
