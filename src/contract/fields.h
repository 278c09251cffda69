// What each request field of a surface does: the field tables, as data.
//
// A table never decides that a field is in the key (every field is, unless a row says that the
// server ignores it: docs/formats/key.md); it decides whether a request that uses the field may
// share. A field outside the table proves nothing. docs/contract.md is generated from these rows.
// Constant data; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/profile.h"
#include "contract/name_table.h"
#include "contract/surface.h"

namespace slipstream::contract {

// A set of server kinds.
class Profiles {
 public:
  constexpr Profiles() = default;
  constexpr Profiles(Profile profile)  // NOLINT: one kind is a set of one
      : bits_(static_cast<std::uint16_t>(1U << static_cast<unsigned>(profile))) {}
  constexpr bool contains(Profile profile) const { return (bits_ & Profiles(profile).bits_) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr Profiles operator|(Profiles other) const {
    other.bits_ |= bits_;
    return other;
  }

 private:
  std::uint16_t bits_ = 0;
};

enum class FieldClass : std::uint8_t {
  kOutput,    // K: changes what is generated
  kShape,     // S: changes how the answer is written down
  kRouting,   // R: changes where, when or how fast it runs
  kIdentity,  // I: names the caller or the call
  kEffect,    // X: acts on something that outlives the call, or shares state with it
  kClock,     // T: the answer shows or depends on this execution's clock
};

// How a field stands to the proof that decoding is deterministic.
enum class Sampling : std::uint8_t {
  kNeutral,
  kOverridesGreedy,  // draws, or may draw, although the temperature is 0
  kOpaque,           // code the gateway cannot see: no proof holds, not even a seed
};

// What the verdict looks into, beside the class.
enum class Part : std::uint8_t {
  kOther,
  kModel,
  kStream,
  kTemperature,
  kTopK,
  kSeed,
  kPrompt,     // text that the work is done on
  kContent,    // what the work is done on, and may name things that the server fetches
  kTools,      // may be run by the server
  kOutputs,    // `modalities`: more than text is a handle for later turns
  kStore,      // may be on when absent
  kKeepAlive,  // zero unloads the model
};

// The tables of members of a field's own object, where these decide.
enum class Nested : std::uint8_t { kNone, kOllamaOptions, kAnthropicMetadata };

struct FieldRow {
  std::string_view name;
  FieldClass field_class;
  Profiles known;  // the servers that define it, by their sources or their reference
  Part part = Part::kOther;
  Sampling sampling = Sampling::kNeutral;
  // Servers known to ignore it: there it neither acts nor is in the key. Only ever a field of
  // class R, I or X.
  Profiles ignored{};
  Nested nested = Nested::kNone;
};

// Fields that are defined together, and the surfaces that take them. On a surface the groups make
// one table; where two name a field, the first says what it does there.
struct FieldGroup {
  std::string_view title;
  std::span<const FieldRow> rows;
  std::uint16_t surfaces;  // one bit each, by the order of Surface
  constexpr bool is_on(Surface surface) const {
    return (surfaces >> static_cast<unsigned>(surface) & 1U) != 0;
  }
};
std::span<const FieldGroup> field_groups();

using FieldTable = NameTable<FieldRow>;
// Empty for kPassThrough.
const FieldTable& fields_of(Surface surface);
// Empty for kNone.
const FieldTable& fields_of(Nested nested);

}  // namespace slipstream::contract
