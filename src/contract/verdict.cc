#include "contract/verdict.h"

#include "contract/content.h"
#include "contract/servers.h"
#include "json/decimal.h"

namespace slipstream::contract {
namespace {

using json::Kind;
using json::Member;

bool is_one(const Member* member) {
  return member != nullptr && member->kind == Kind::kNumber &&
         json::exact_integer(member->value) == 1;
}

bool is_greedy(const Member* temperature, Greedy greedy) {
  return temperature != nullptr && temperature->kind == Kind::kNumber &&
         is_greedy(greedy, temperature->value);
}

bool is_fixed_seed(const Member* seed, RandomSeeds random) {
  return seed != nullptr && seed->kind == Kind::kNumber && is_fixed_seed(random, seed->value);
}

bool is_empty(const Member* member) {
  return member == nullptr || member->value == R"("")" || member->value == "[]";
}

// Ollama takes a request without content for an order to load the model, or to unload it.
bool orders_nothing(const Findings& found, Surface surface) {
  const Member* const work = found.prompt != nullptr ? found.prompt : found.contents.front();
  return row_of(surface).dialect == Dialect::kOllama && is_empty(work);
}

// Members that act, whatever is generated.
std::optional<Verdict> effects(const Findings& found, Surface surface, const ServerRow& server) {
  if (found.effect != nullptr) {
    return no(Reason::kSideEffect,
              {"The field ", found.effect->name,
               " acts on state that outlives the call, which one shared run would do once instead "
               "of once per caller."});
  }
  if (surface == Surface::kResponses && !found.store_declined && server.store == Store::kKeeps) {
    return no(Reason::kSideEffect,
              {"`store` is not false, so the answer is kept at the server under an id that only "
               "its own caller may rely on."});
  }
  if (found.keep_alive != nullptr) {
    return no(Reason::kSideEffect, {"`keep_alive` is 0, which unloads the model."});
  }
  if (orders_nothing(found, surface)) {
    return no(Reason::kSideEffect,
              {"There is nothing to work on, which loads or unloads the model."});
  }
  return std::nullopt;
}

// What the members' contents let the server do.
std::optional<Verdict> content_effects(const Findings& found, Surface surface) {
  if (found.outputs != nullptr) {
    return no(Reason::kSideEffect, {"The field ", found.outputs->name,
                                    " asks for output whose id is a handle for later turns."});
  }
  if (found.tools != nullptr) {
    const std::string_view type = server_run_tool(surface, found.tools->value);
    if (!type.empty()) {
      return no(Reason::kSideEffect, {"The field `tools` holds a tool of type ", type,
                                      ", which the server runs and which may act."});
    }
  }
  for (const Member* content : found.contents) {
    if (content == nullptr) break;
    if (surface == Surface::kResponses && refers_to_stored_item(content->value)) {
      return no(Reason::kSideEffect, {"An item of `input` stands at the server, not in the body."});
    }
    if (const auto name = remote_reference(content->value)) {
      return no(Reason::kRemoteContent, {"The field ", *name,
                                         " is fetched by the server while it runs, and may differ "
                                         "the next time."});
    }
  }
  return std::nullopt;
}

// What no sampling rule can make good.
std::optional<Verdict> hard_no(const Findings& found, Surface surface, const Wishes& wishes,
                               const ServerRow& server) {
  if (wishes.server_session) {
    return no(Reason::kSideEffect,
              {"The header `x-conversation-id` registers a session at the server, which a follower "
               "would not get."});
  }
  if (auto verdict = effects(found, surface, server)) return verdict;
  if (found.clock != nullptr) {
    return no(Reason::kClock, {"The field ", found.clock->name,
                               " makes this execution's clock a part of the answer."});
  }
  if (found.unknown != nullptr) {
    return no(Reason::kUnknownField, {"The field ", found.unknown->name,
                                      " is outside the field table, so nothing can be proven."});
  }
  return content_effects(found, surface);
}

// Nothing if no step of the decoding is proven to take the arg max.
std::optional<Verdict> greedy(const Findings& found, const ServerRow& server) {
  if (found.overrides_greedy != nullptr || found.opaque != nullptr) return std::nullopt;
  if (is_greedy(found.temperature, server.greedy)) {
    return yes(
        Reason::kGreedy,
        {"`temperature` is explicitly 0 and no field adds a random draw, so every step takes "
         "the most likely token and the answer is a function of the key."});
  }
  if (server.top_k_one == TopKOne::kIsGreedy && is_one(found.top_k)) {
    return yes(Reason::kGreedy,
               {"`top_k` is explicitly 1 and this server honours it, so every draw is forced and "
                "the answer is a function of the key."});
  }
  return std::nullopt;
}

Proof why_sampled(const Findings& found, const ServerRow& server) {
  const Member* const breaker = found.opaque != nullptr ? found.opaque : found.overrides_greedy;
  const bool cold = is_greedy(found.temperature, Greedy::kZero);
  if (breaker != nullptr && cold) {
    return {"The field ", breaker->name,
            " may draw at random in spite of greedy settings, so callers expect independent "
            "answers."};
  }
  if (cold && server.greedy == Greedy::kNever) {
    return {
        "`temperature` is 0, but this server is not known to decode greedily then, so callers "
        "expect independent answers."};
  }
  if (is_one(found.top_k) && server.top_k_one == TopKOne::kProvesNothing) {
    // Ollama's /v1 drops it, for one.
    return {
        "`top_k` is 1, but not every server honours that field, and `temperature` is not 0, so "
        "the answer may be drawn at random."};
  }
  if (found.temperature == nullptr) {
    return {"`temperature` is absent, which means sampled, so callers expect independent answers."};
  }
  return {"`temperature` is not 0, so callers expect independent answers."};
}

}  // namespace

std::optional<Verdict> verdict_of_head(const http::Head& head, const Wishes& wishes,
                                       const Policy& policy) {
  if (!policy.coalesce) return no(Reason::kDisabled, {"Coalescing is off for this route."});
  if (head.minor_version() == 0) {
    return no(Reason::kHttp10, {"An HTTP/1.0 caller cannot read chunked framing."});
  }
  if (!wishes.alone.empty()) return no(Reason::kOptedOut, {wishes.alone});
  return std::nullopt;
}

Verdict verdict_of_body(const Findings& found, Surface surface, const Wishes& wishes,
                        const Policy& policy) {
  const ServerRow& server = server_on(surface, policy.profile);
  if (auto verdict = hard_no(found, surface, wishes, server)) return *verdict;
  if (row_of(surface).work == Work::kFunction) {
    return yes(Reason::kPure, {"The answer is computed from the request without a random draw, so "
                               "a second run would compute the same."});
  }
  if (auto verdict = greedy(found, server)) return *verdict;
  const bool fixed_seed = found.opaque == nullptr && is_fixed_seed(found.seed, server.random_seeds);
  if (fixed_seed && (policy.seed_honoured || server.seeds == Seeds::kHonoured)) {
    return yes(Reason::kSeeded,
               {"`seed` is explicit and this backend honours seeds, so the sequence of draws is a "
                "function of the key."});
  }
  if (!wishes.group.empty()) {
    return yes(Reason::kSampledShared, {"The caller gave up independent draws within the group ",
                                        wishes.group, ", which is part of the key."});
  }
  if (policy.share_sampled) {
    return yes(Reason::kSampledShared,
               {"The route declares that its callers accept one draw for all (sampled: share)."});
  }
  if (fixed_seed) {
    return no(Reason::kSeedUnproven,
              {"`seed` is explicit, but this backend is not known to honour seeds."});
  }
  return no(Reason::kSampled, why_sampled(found, server));
}

}  // namespace slipstream::contract
