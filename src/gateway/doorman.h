// Who is asking: tenant and scope of one request, from its head and the address it came from.
//
// In this order: a trusted header from a trusted address, a configured tenant's key, the caller's
// own credential. A caller can only narrow: what it sends never leads into another one's scope.
// Thread rule: one per worker, its thread. Lifetime: `shared` and `examiner` outlive it.
#pragma once

#include <optional>
#include <string_view>

#include "base/digest.h"
#include "contract/contract.h"
#include "http/head.h"
#include "tenant/directory.h"

namespace slipstream::gateway {

struct Shared;

struct Party {
  tenant::Tenant* tenant = nullptr;  // null: not a configured one
  contract::Scope scope;
};

class Doorman {
 public:
  Doorman(const Shared& shared, contract::Examiner& examiner);

  // Whether anybody can be refused or told apart by more than the own credential: without tenants
  // and trusted addresses nobody is.
  bool guards() const { return guards_; }

  // `peer`: numeric address of the connection; empty trusts nothing. Nothing if the request must be
  // refused: no tenant's key, keys of two, or a trusted header sent twice. `memo` is the
  // connection's.
  std::optional<Party> identify(const http::Head& head, std::string_view peer,
                                contract::ScopeMemo& memo);

 private:
  Party party_of(tenant::Tenant& tenant, const http::Head& head);
  // Whose keys a request presents.
  struct Presented {
    enum class Of { kNoTenant, kOneTenant, kSeveral };
    tenant::Tenant* tenant = nullptr;  // kOneTenant
    Of of = Of::kNoTenant;
  };
  Presented presented(const http::Head& head);

  const Shared& shared_;
  contract::Examiner& examiner_;
  const bool guards_;
  HmacSha256 mac_;
};

}  // namespace slipstream::gateway
