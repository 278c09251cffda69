#include "lab/stub_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace slipstream::lab {

std::string StubStats::to_json() const {
  return fmt::format(
      R"({{"calls":{},"calls_by_path":{{"/v1/chat/completions":{},"/v1/completions":{},)"
      R"("/v1/embeddings":{}}},"aborts":{},"live":{},"live_max":{},"tokens":{}}})",
      calls, chat, completions, embeddings, aborts, live, live_max, tokens);
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
  ++(request.surface == Surface::kChat          ? stats_.chat
     : request.surface == Surface::kCompletions ? stats_.completions
                                                : stats_.embeddings);
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

void StubState::reset() {
  const std::uint64_t live = stats_.live;
  stats_ = {};
  stats_.live = stats_.live_max = live;
  models_.clear();
}

}  // namespace slipstream::lab
