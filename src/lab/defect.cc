#include "lab/defect.h"

#include <array>

namespace slipstream::lab {

namespace {

struct Words {
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array<Words, kDefects> kWords = {{
    {"none", "nothing"},
    {"connect", "no connection"},
    {"timeout", "not complete in time"},
    {"cut", "connection ended before the answer did"},
    {"framing", "not valid HTTP/1.1"},
    {"status", "a status other than 200"},
    {"content_type", "not the content type that was asked for"},
    {"bad_event", "event stream or JSON out of form"},
    {"error_event", "an error object inside the stream"},
    {"not_tokens", "text that is not the stub's"},
    {"mixed_calls", "tokens of two generations in one answer"},
    {"token_gap", "a token lost, repeated or out of order"},
    {"no_finish", "a choice without finish reason"},
    {"no_done", "a clean end without [DONE]"},
    {"after_done", "events after [DONE]"},
    {"unequal", "other bytes than another caller of the same generation"},
    {"wrong_prompt", "a generation of another prompt"},
    {"wrong_tenant", "a generation of another tenant"},
}};

}  // namespace

std::string_view name_of(Defect defect) {
  return kWords[static_cast<std::size_t>(defect)].name;
}

std::string_view sentence_of(Defect defect) {
  return kWords[static_cast<std::size_t>(defect)].sentence;
}

Role role_in(std::string_view field) {
  constexpr std::string_view kSeparators = " \t;,=\"";
  while (!field.empty()) {
    const std::string_view word = field.substr(0, field.find_first_of(kSeparators));
    if (word == "leader") return Role::kLeader;
    if (word == "follower") return Role::kFollower;
    if (word == "solo") return Role::kSolo;
    field.remove_prefix(std::min(field.size(), word.size() + 1));
  }
  return Role::kUnknown;
}

}  // namespace slipstream::lab
