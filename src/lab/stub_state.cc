#include "lab/stub_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace slipstream::lab {

std::string StubStats::to_json() const {
  std::string paths;
  for (std::size_t i = 0; i < kSurfaces; ++i) {
    paths += fmt::format(R"({}"{}":{})", i ? "," : "", dialect_of(static_cast<Surface>(i)).path,
                         by_surface[i]);
  }
  return fmt::format(
      R"({{"calls":{},"calls_by_path":{{{}}},"aborts":{},"live":{},"live_max":{},"tokens":{}}})",
      calls, paths, aborts, live, live_max, tokens);
}

Result<CallPlan, ScriptError> StubState::begin(const StubRequest& request, Time now) {
  auto script = script_of_model(request.model, options_.script);
  if (!script) return Failure{script.error()};
  CallPlan plan{.number = next_number_++, .script = *script};
  if (request.max_tokens >= 0) {
    plan.script.tokens = std::min(plan.script.tokens, request.max_tokens);
  }
  Model& known = model(request.model, plan.script.load, now);
  ++known.calls;
  if (plan.script.error_calls >= 0 && known.calls > plan.script.error_calls) plan.script.error = 0;
  plan.load_wait = std::max(known.loaded_at - now, Duration{});

  ++stats_.calls;
  ++stats_.by_surface[static_cast<std::size_t>(request.surface)];
  stats_.live_max = std::max(stats_.live_max, ++stats_.live);
  return plan;
}

StubState::Model& StubState::model(const std::string& name, Duration load, Time now) {
  const auto found = models_.find(name);
  if (found != models_.end()) return found->second;
  if (models_.size() >= kModelsMax) models_.clear();
  return models_.emplace(name, Model{.calls = 0, .loaded_at = now + load}).first->second;
}

void StubState::end(Ending ending) {
  --stats_.live;
  if (ending == Ending::kCallerGone) ++stats_.aborts;
}

std::optional<ScriptError> StubState::set_identity(std::string_view settings) {
  auto identity = parse_identity(settings, options_.identity);
  if (!identity) return identity.error();
  options_.identity = std::move(*identity);
  return std::nullopt;
}

void StubState::reset() {
  const std::uint64_t live = stats_.live;
  stats_ = {};
  stats_.live = stats_.live_max = live;
  models_.clear();
}

}  // namespace slipstream::lab
