// The configured routes, and which of them takes a request.
//
// Thread rule: one at a time; each worker has its own copy, as it learns of a new epoch by itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/settings.h"
#include "contract/contract.h"
#include "gateway/epoch.h"
#include "http/head.h"

namespace slipstream::gateway {

struct Route {
  std::vector<std::string> surfaces;  // empty: all
  std::vector<std::string> models;    // names, or prefixes that end with '*'; empty: all
  bool is_public = false;
  contract::Policy policy;

  // `model` may be empty: the body names none.
  bool takes(contract::Surface surface, std::string_view model) const;
};

class Routes {
 public:
  Routes(const config::Settings& settings, const Epoch::Value& epoch);

  // From here on requests are keyed to that epoch, and judged by what its kind of server does.
  void set_epoch(const Epoch::Value& epoch);

  // The first route that takes the request; the default one if none does.
  const Route& choose(contract::Surface surface, std::string_view model) const;
  const Route& fallback() const { return routes_.back(); }
  bool only_default() const { return routes_.size() == 1; }

 private:
  std::vector<Route> routes_;  // the default last
};

// The request's contract under the route that takes it, and that route. As
// contract::Examiner::examine(), of which it has the preconditions and results. `everyone` is the
// scope on public routes.
struct Routed {
  const Route* route;
  Result<contract::Contract, contract::BodyFault> contract;
};
Routed examine(contract::Examiner& examiner, const Routes& routes, contract::Surface surface,
               const http::Head& head, std::string_view body, const contract::Scope& own,
               const contract::Scope& everyone);

}  // namespace slipstream::gateway
