#include "gateway/routes.h"

#include <algorithm>

#include "json/reader.h"

namespace slipstream::gateway {

namespace {

bool matches(std::string_view pattern, std::string_view model) {
  if (!pattern.ends_with('*')) return pattern == model;
  return model.starts_with(pattern.substr(0, pattern.size() - 1));
}

contract::Policy policy_of(const config::Sharing& sharing, std::string_view name) {
  contract::Policy policy;
  policy.coalesce = sharing.enabled;
  policy.share_sampled = sharing.sampled == config::Sampled::kShare;
  policy.seed_honoured = sharing.seed_honoured;
  policy.harmless_fields = sharing.harmless_fields;
  policy.harmless_headers = sharing.harmless_headers;
  policy.route = name;
  return policy;
}

std::string_view model_of(std::string_view body, std::string& scratch) {
  return json::text_of(json::find(body, "model"), scratch).value_or(std::string_view());
}

}  // namespace

bool Route::takes(contract::Surface surface, std::string_view model) const {
  const bool this_kind =
      surfaces.empty() ||
      std::ranges::find(surfaces, contract::to_string(surface)) != surfaces.end();
  return this_kind &&
         (models.empty() || std::ranges::any_of(models, [model](const std::string& pattern) {
            return matches(pattern, model);
          }));
}

Routes::Routes(const config::Settings& settings, const Epoch::Value& epoch) {
  for (const config::Route& from : settings.routes) {
    routes_.push_back({from.surfaces, from.models, from.is_public, policy_of(from, from.name)});
  }
  routes_.push_back({{}, {}, false, policy_of(settings.coalesce, "default")});
  set_epoch(epoch);
}

void Routes::set_epoch(const Epoch::Value& epoch) {
  for (Route& route : routes_) {
    route.policy.epoch = epoch.text;
    route.policy.profile = epoch.profile;
  }
}

const Route& Routes::choose(contract::Surface surface, std::string_view model) const {
  return *std::ranges::find_if(routes_,
                               [&](const Route& route) { return route.takes(surface, model); });
}

Routed examine(contract::Examiner& examiner, const Routes& routes, contract::Surface surface,
               const http::Head& head, std::string_view body, const contract::Scope& own,
               const contract::Scope& everyone) {
  const auto under = [&](const Route& route) {
    return Routed{&route, examiner.examine(surface, head, body, route.is_public ? everyone : own,
                                           route.policy)};
  };
  if (routes.only_default()) return under(routes.fallback());
  // Route and scope go into the key before the body, which names the model. So the model is taken
  // from the body as it came; that it was right shows in the canonical form, where no escape hides
  // it: other words for the same model must not lead to another route.
  std::string scratch;
  Routed routed = under(routes.choose(surface, model_of(body, scratch)));
  if (!routed.contract) return routed;
  const std::string_view canonical = routed.contract->canonical_body;
  const std::string_view model =
      canonical.empty() ? routed.contract->model : model_of(canonical, scratch);  // empty: a form
  const Route& right = routes.choose(surface, model);
  return &right == routed.route ? std::move(routed) : under(right);
}

}  // namespace slipstream::gateway
