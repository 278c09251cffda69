#include "contract/servers.h"

#include <array>

#include "json/decimal.h"

namespace slipstream::contract {
namespace {

constexpr auto kNo = TopKOne::kProvesNothing;
constexpr auto kYes = TopKOne::kIsGreedy;
constexpr auto kLow = RandomSeeds::kLowBitsSet;
constexpr auto kMinus = RandomSeeds::kMinusOne;

// clang-format off
constexpr std::array<ServerRow, kProfileNames.size()> kServers = {{
    {Greedy::kZero, kNo, Seeds::kBestEffort, kLow, Store::kKeeps, HopFields::kMayActOn,
     "Nothing is known; of all proofs only temperature 0 is believed."},
    {Greedy::kZero, kNo, Seeds::kBestEffort, kLow, Store::kKeeps, HopFields::kMayActOn,
     "Seeds are best effort and deprecated."},
    {Greedy::kZero, kNo, Seeds::kBestEffort, kLow, Store::kKeeps, HopFields::kMayActOn,
     "As OpenAI; the deployment stands in the path, api-version in the query."},
    {Greedy::kNever, kNo, Seeds::kBestEffort, kLow, Store::kKeeps, HopFields::kMayActOn,
     "Always sampled: API 2026-10-21 has no temperature, older ones promise nothing at 0."},
    {Greedy::kZero, kYes, Seeds::kHonoured, kMinus, Store::kInert, HopFields::kOnlyLogged,
     "A temperature between 0 and 0.01 is raised to 0.01 and sampled. Stores responses only with "
     "VLLM_ENABLE_RESPONSES_API_STORE, which must then not be shared behind."},
    {Greedy::kBelowMillionth, kYes, Seeds::kBestEffort, kLow, Store::kKeeps, HopFields::kOnlyLogged,
     "Seeds count only in deterministic mode, which the gateway does not see."},
    {Greedy::kZeroOrLess, kYes, Seeds::kHonoured, kLow, Store::kInert, HopFields::kOnlyLogged,
     "XTC, if it was switched on at launch or by the model's metadata, draws in spite of "
     "temperature 0, and is not seen: do not launch with --xtc-probability behind a gateway."},
    {Greedy::kZero, kNo, Seeds::kHonoured, kLow, Store::kInert, HopFields::kOnlyLogged,
     "Drops what it does not know; top_k is read from `options` and the Messages path only."},
    {Greedy::kZero, kNo, Seeds::kHonoured, kLow, Store::kKeeps, HopFields::kOnlyLogged,
     "Temperature 0 becomes do_sample=false."},
    {Greedy::kZero, kNo, Seeds::kBestEffort, kLow, Store::kKeeps, HopFields::kOnlyLogged,
     "An absent temperature is a preset of the model."},
}};
// clang-format on

// On a surface where nothing is known of a server.
constexpr ServerRow kForeign = {
    Greedy::kNever,   kNo, Seeds::kBestEffort, kLow, Store::kKeeps, HopFields::kMayActOn,
    "Proves nothing."};

// The servers besides Anthropic that answer its surfaces, and read the temperature there.
constexpr Profiles kAnswersMessages =
    Profiles(Profile::kVllm) | Profile::kSglang | Profile::kLlamaCpp | Profile::kOllama;

// Digits before the decimal point of the canonical "123e-5", "7" or "1e20": below that power of 10.
bool is_below_power(std::string_view number, std::int64_t power) {
  std::string buffer(number.size() + json::kDecimalGrowth, '\0');
  const char* const end = json::put_decimal(buffer.data(), number);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = std::min(text.find('e'), text.size());
  if (e == text.size()) return false;
  const auto exponent = json::exact_integer(text.substr(e + 1));
  return exponent && static_cast<std::int64_t>(e) + *exponent <= power;
}

}  // namespace

const ServerRow& server_of(Profile profile) {
  return kServers[static_cast<std::size_t>(profile)];
}

const ServerRow& server_on(Surface surface, Profile profile) {
  const bool generic = profile == Profile::kGeneric;
  // Whisper falls back to higher temperatures when 0 gives poor text, except vLLM's.
  if (surface == Surface::kTranscriptions) {
    return profile == Profile::kVllm ? server_of(profile) : kForeign;
  }
  switch (row_of(surface).dialect) {
    case Dialect::kOpenAi:
      return server_of(profile);
    case Dialect::kAnthropic:
      return server_of(kAnswersMessages.contains(profile) ? profile : Profile::kAnthropic);
    case Dialect::kOllama:
      // llama.cpp answers chat completions at /api/chat and would not read `options`.
      return generic || profile == Profile::kOllama ? server_of(Profile::kOllama) : kForeign;
  }
  return kForeign;
}

bool is_greedy(Greedy greedy, std::string_view number) {
  const bool negative = number.starts_with('-');
  if (greedy == Greedy::kNever) return false;
  if (number == "0" || json::exact_integer(number) == 0) return true;
  if (greedy == Greedy::kZeroOrLess) return negative;
  return greedy == Greedy::kBelowMillionth && !negative && is_below_power(number, -6);
}

bool is_fixed_seed(RandomSeeds random, std::string_view number) {
  const auto seed = json::exact_integer(number);
  if (!seed) return false;
  if (random == RandomSeeds::kMinusOne) return *seed != -1;
  return static_cast<std::uint32_t>(*seed) != 0xffffffff;
}

}  // namespace slipstream::contract
