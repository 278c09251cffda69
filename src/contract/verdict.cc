#include "contract/verdict.h"

#include <algorithm>

#include "contract/content.h"
#include "contract/fields.h"
#include "json/decimal.h"

namespace slipstream::contract {
namespace {

using json::Kind;
using json::Member;

// null and false ask for nothing: the field is in the key and does not act.
bool is_inert(const Member& member) {
  return member.kind == Kind::kNull || member.kind == Kind::kFalse;
}

// What one pass over the members finds; each pointer is the first member that decides something.
struct Findings {
  const Member* effect = nullptr;
  const Member* clock = nullptr;
  const Member* unknown = nullptr;
  const Member* overrides_greedy = nullptr;
  const Member* opaque = nullptr;
  const Member* temperature = nullptr;
  const Member* top_k = nullptr;
  const Member* seed = nullptr;
  const Member* messages = nullptr;
  const Member* tools = nullptr;
  const Member* audio = nullptr;  // `audio`, or `modalities` beyond ["text"]
};

void note(const Member*& slot, const Member& member) {
  if (slot == nullptr) slot = &member;
}

void note_row(Findings& found, const Member& member, const FieldRow& row) {
  if (is_inert(member)) return;
  if (row.field_class == FieldClass::kEffect) note(found.effect, member);
  if (row.field_class == FieldClass::kClock) note(found.clock, member);
  if (row.sampling == Sampling::kOverridesGreedy) note(found.overrides_greedy, member);
  if (row.sampling == Sampling::kOpaque) note(found.opaque, member);
  if (member.name == "temperature") found.temperature = &member;
  if (member.name == "top_k") found.top_k = &member;
  if (member.name == "seed") found.seed = &member;
  if (member.name == "messages") found.messages = &member;
  if (member.name == "tools") found.tools = &member;
  const bool text_only = member.name == "modalities" && member.value == R"(["text"])";
  if (member.name == "audio" || (member.name == "modalities" && !text_only)) {
    note(found.audio, member);
  }
}

Findings look_at(std::span<const Member> members, const Policy& policy) {
  Findings found;
  for (const Member& member : members) {
    if (const FieldRow* row = find_chat_field(member.name)) {
      note_row(found, member, *row);
    } else if (std::ranges::find(policy.harmless_fields, member.name) ==
               policy.harmless_fields.end()) {
      note(found.unknown, member);
    }
  }
  return found;
}

bool is_number(const Member* member, std::string_view canonical) {
  return member != nullptr && member->kind == Kind::kNumber && member->value == canonical;
}

bool is_zero(const Member* member) {
  return is_number(member, "0") || is_number(member, "-0");
}

// A seed that names one generator state on every server that honours seeds. llama.cpp keeps 32 bits
// and takes all ones for "random", as -1 does elsewhere.
bool is_fixed_seed(const Member* member) {
  if (member == nullptr || member->kind != Kind::kNumber) return false;
  const auto seed = json::exact_integer(member->value);
  return seed && static_cast<std::uint32_t>(*seed) != 0xffffffff;
}

// What no sampling rule can make good.
std::optional<Verdict> hard_no(const Findings& found, const Wishes& wishes) {
  if (wishes.server_session) {
    return no(Reason::kSideEffect,
              {"The header `x-conversation-id` registers a session at the server, which a follower "
               "would not get."});
  }
  if (found.effect != nullptr) {
    return no(Reason::kSideEffect,
              {"The field ", found.effect->name,
               " acts on state that outlives the call, which one shared run would do once instead "
               "of once per caller."});
  }
  if (found.clock != nullptr) {
    return no(Reason::kClock, {"The field ", found.clock->name,
                               " makes this execution's clock a part of the answer."});
  }
  if (found.unknown != nullptr) {
    return no(Reason::kUnknownField, {"The field ", found.unknown->name,
                                      " is outside the field table, so nothing can be proven."});
  }
  if (found.audio != nullptr) {
    return no(Reason::kSideEffect, {"The field ", found.audio->name,
                                    " asks for output whose id is a handle for later turns."});
  }
  if (found.tools != nullptr) {
    const std::string_view type = server_run_tool(found.tools->value);
    if (!type.empty()) {
      return no(Reason::kSideEffect, {"The field `tools` holds a tool of type ", type,
                                      ", which the server runs and which may act."});
    }
  }
  if (found.messages != nullptr) {
    if (const auto name = remote_reference(found.messages->value)) {
      return no(Reason::kRemoteContent,
                {"The field ", *name,
                 " in `messages` is fetched by the server while it runs, and may differ the next "
                 "time."});
    }
  }
  return std::nullopt;
}

// Nothing if no step of the decoding is proven to take the arg max.
std::optional<Verdict> greedy(const Findings& found) {
  if (found.overrides_greedy != nullptr || found.opaque != nullptr) return std::nullopt;
  if (is_zero(found.temperature)) {
    return yes(
        Reason::kGreedy,
        {"`temperature` is explicitly 0 and no field adds a random draw, so every step takes "
         "the most likely token and the answer is a function of the key."});
  }
  return std::nullopt;
}

Proof why_sampled(const Findings& found) {
  const Member* const breaker = found.opaque != nullptr ? found.opaque : found.overrides_greedy;
  if (breaker != nullptr && is_zero(found.temperature)) {
    return {"The field ", breaker->name,
            " may draw at random in spite of greedy settings, so callers expect independent "
            "answers."};
  }
  if (is_number(found.top_k, "1")) {
    // Ollama's /v1 drops it, for one; a profile may know better.
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

Verdict verdict_of_chat(std::span<const Member> members, const Wishes& wishes,
                        const Policy& policy) {
  const Findings found = look_at(members, policy);
  if (auto verdict = hard_no(found, wishes)) return *verdict;
  if (auto verdict = greedy(found)) return *verdict;
  const bool fixed_seed = found.opaque == nullptr && is_fixed_seed(found.seed);
  if (fixed_seed && policy.seed_honoured) {
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
  return no(Reason::kSampled, why_sampled(found));
}

}  // namespace slipstream::contract
