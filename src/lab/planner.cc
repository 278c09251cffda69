#include "lab/planner.h"

#include <fmt/format.h>

#include "base/text.h"
#include "http/write.h"
#include "json/escape.h"

namespace slipstream::lab {

Planner::Planner(const BurstOptions& options, const Target& target)
    : options_(options), target_(target), random_(options.seed) {}

RequestPlan Planner::plan(std::size_t group, int caller, std::uint64_t round) {
  const BurstGroup& asked = options_.groups[group];
  RequestPlan plan;
  plan.group = group;
  plan.tenant = caller % options_.tenants;
  std::string prompt;
  if (random_.unit() < asked.duplicate_share) {
    const auto shared = static_cast<std::uint64_t>(caller / options_.tenants % asked.distinct);
    const std::uint64_t series = options_.pace == Pace::kRounds ? round : 0;
    // Tenants may ask the same: the planner says what is asked, not what may be shared.
    plan.prompt = group << 56 | series << 24 | shared;
    prompt = fmt::format("{}: prompt {} of round {}", asked.name, shared, series);
  } else {
    plan.prompt = std::uint64_t{1} << 63 | unique_++;
    prompt = fmt::format("{}: unique prompt {}", asked.name, unique_);
  }
  if (options_.delivery == Delivery::kStreamed && random_.unit() < options_.leave_share) {
    plan.leave_after = options_.leave_after_events;
  }
  if (random_.unit() < options_.slow_share) plan.reading = RequestPlan::Reading::kSlow;
  const std::string text = body(prompt);
  plan.bytes = head(plan.tenant, text.size()) + text;
  return plan;
}

Duration Planner::delay() {
  if (options_.spread <= Duration{}) return {};
  return Duration(static_cast<Duration::rep>(
      random_.below(static_cast<std::uint64_t>(options_.spread.count()))));
}

std::string Planner::body(const std::string& prompt) const {
  std::string out = R"({"model":)";
  json::append_quoted(out, options_.model);
  out += R"(,"messages":[{"role":"user","content":)";
  json::append_quoted(out, prompt);
  out += "}]";
  if (options_.temperature) out += fmt::format(R"(,"temperature":{})", *options_.temperature);
  if (options_.tokens > 0) out += fmt::format(R"(,"max_tokens":{})", options_.tokens);
  if (options_.delivery == Delivery::kStreamed) out += R"(,"stream":true)";
  return out + "}";
}

std::string Planner::head(int tenant, std::size_t body_bytes) const {
  std::string out;
  http::append_request_line(out, "POST", target_.path + "/v1/chat/completions");
  http::append_field(out, "host", target_.host);
  http::append_field(out, "content-type", "application/json");
  http::append_field(out, "content-length", body_bytes);
  bool authorized = options_.tenants == 1;
  for (const auto& [name, value] : options_.headers) {
    http::append_field(out, name, value);
    authorized |= iequals(name, "authorization");
  }
  if (!authorized)
    http::append_field(out, "authorization", fmt::format("Bearer tenant-{}", tenant));
  http::append_end_of_head(out);
  return out;
}

}  // namespace slipstream::lab
