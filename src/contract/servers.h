// What is known of each kind of model server that the sharing rules depend on, as data.
//
// Constant data; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/profile.h"
#include "contract/fields.h"

namespace slipstream::contract {

// The explicit temperatures at which every step takes the most likely token, as long as no other
// field draws.
enum class Greedy : std::uint8_t {
  kNever,
  kZero,
  kZeroOrLess,      // llama.cpp
  kBelowMillionth,  // SGLang: 0 up to, and without, 1e-6
};

// The explicit seeds that mean "draw one".
enum class RandomSeeds : std::uint8_t {
  kMinusOne,
  kLowBitsSet,  // all ones in the low 32 bits: -1 and 4294967295, where a seed keeps 32 bits
};

enum class TopKOne : std::uint8_t { kProvesNothing, kIsGreedy };
enum class Seeds : std::uint8_t { kBestEffort, kHonoured };
enum class Store : std::uint8_t { kKeeps, kInert };              // of Responses
enum class HopFields : std::uint8_t { kMayActOn, kOnlyLogged };  // forwarded, x-forwarded-*, via

struct ServerRow {
  Greedy greedy;
  TopKOne top_k_one;
  Seeds seeds;
  RandomSeeds random_seeds;
  Store store;
  HopFields hop_fields;
  std::string_view note;  // a sentence for the page
};

// A server by itself. By the order of Profile.
const ServerRow& server_of(Profile profile);
// A server on this surface: a generic one is what the surface was made for, and a server that
// answers a foreign surface proves only what it is known to do there.
const ServerRow& server_on(Surface surface, Profile profile);

// `number`: a JSON number, in any spelling.
bool is_greedy(Greedy greedy, std::string_view number);
bool is_fixed_seed(RandomSeeds random, std::string_view number);

}  // namespace slipstream::contract
