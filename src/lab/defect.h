// Everything that can be wrong with an answer, and the roles a gateway names. Closed sets.
#pragma once

#include <cstddef>
#include <string_view>

namespace slipstream::lab {

enum class Defect {
  kNone,
  kConnect,      // no connection
  kTimeout,      // not complete within the caller's time
  kCut,          // the connection ended before the message did
  kFraming,      // not valid HTTP/1.1
  kStatus,       // a status other than 200
  kContentType,  // not the type that was asked for
  kBadEvent,     // event stream or JSON out of form
  kErrorEvent,   // an error object inside the stream
  kNotTokens,    // text that the stub never writes
  kMixedCalls,   // tokens of two generations in one answer
  kTokenGap,     // a token lost, repeated or out of order
  kNoFinish,     // a choice without finish reason
  kNoDone,       // the stream ended cleanly without [DONE]
  kAfterDone,    // more events after [DONE]
  kUnequal,      // other bytes than another caller of the same generation
  kWrongPrompt,  // the generation belongs to another prompt
  kWrongTenant,  // the generation belongs to another tenant
};
inline constexpr std::size_t kDefects = static_cast<std::size_t>(Defect::kWrongTenant) + 1;

std::string_view name_of(Defect defect);      // "mixed_calls"
std::string_view sentence_of(Defect defect);  // "tokens of two generations in one answer"

// What the gateway said it did for a caller, in its x-slipstream field.
enum class Role { kUnknown, kLeader, kFollower, kSolo };

// The first word of the field that is a role.
Role role_in(std::string_view field);

}  // namespace slipstream::lab
