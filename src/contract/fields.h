// What each request field of a surface does: the field table, as data.
//
// The table never decides what is in the key (every field is, docs/formats/key.md); it decides
// whether a request that uses the field may share. A field outside the table proves nothing.
// Constant data; any thread.
#pragma once

#include <span>
#include <string_view>

namespace slipstream::contract {

enum class FieldClass {
  kOutput,    // K: changes what is generated
  kShape,     // S: changes how the answer is written down
  kRouting,   // R: changes where, when or how fast it runs
  kIdentity,  // I: names the caller or the call
  kEffect,    // X: acts on something that outlives the call, or shares state with it
  kClock,     // T: the answer shows or depends on this execution's clock
};

// How a field stands to the proof that decoding is deterministic.
enum class Sampling {
  kNeutral,
  kOverridesGreedy,  // draws, or may draw, although the temperature is 0
  kOpaque,           // code the gateway cannot see: no proof holds, not even a seed
};

struct FieldRow {
  std::string_view name;
  FieldClass field_class;
  std::string_view source;  // the server or API that defines it
  Sampling sampling = Sampling::kNeutral;
};

// POST /v1/chat/completions. nullptr for a field outside the table.
const FieldRow* find_chat_field(std::string_view name);
std::span<const FieldRow> chat_fields();

}  // namespace slipstream::contract
