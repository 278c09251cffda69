#include "contract/judge_scan.h"

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "json/reader.h"

namespace slipstream::contract {
namespace {

// The members that say something somewhere; where they do is for the functions below to tell.
enum class Name {
  kOther,
  kChoices,
  kDelta,
  kText,
  kFinishReason,
  kIndex,
  kToken,  // what a model says, in whatever form
  kThinking,
  kUsage,
  kPromptCount,
  kAnswerCount,
  kTotalCount,
  kError,
  kCode,
  kType,
  kObject,
  kStatus,
  kInner,  // what an event is about
  kDone,
  kStopReason,
};

// In line: half of its cost would be the call.
[[gnu::always_inline]] inline Name name_of(std::string_view name) {
  switch (name.size()) {  // each comparison is one of two words then
    case 4:
      if (name == "text") return Name::kText;
      if (name == "type") return Name::kType;
      if (name == "done") return Name::kDone;
      if (name == "code") return Name::kCode;
      break;
    case 5:
      if (name == "index") return Name::kIndex;
      if (name == "delta") return Name::kDelta;
      if (name == "usage") return Name::kUsage;
      if (name == "error") return Name::kError;
      break;
    case 6:
      if (name == "object") return Name::kObject;
      if (name == "status") return Name::kStatus;
      break;
    case 7:
      if (name == "choices") return Name::kChoices;
      if (name == "content" || name == "refusal") return Name::kToken;
      if (name == "message") return Name::kInner;
      break;
    case 8:
      if (name == "thinking") return Name::kThinking;
      if (name == "response") return Name::kInner;
      break;
    case 9:
      if (name == "reasoning") return Name::kToken;
      break;
    case 10:
      if (name == "tool_calls") return Name::kToken;
      if (name == "eval_count") return Name::kAnswerCount;
      break;
    case 11:
      if (name == "stop_reason") return Name::kStopReason;
      break;
    case 12:
      if (name == "input_tokens") return Name::kPromptCount;
      if (name == "total_tokens") return Name::kTotalCount;
      break;
    case 13:
      if (name == "finish_reason") return Name::kFinishReason;
      if (name == "function_call") return Name::kToken;
      if (name == "prompt_tokens") return Name::kPromptCount;
      if (name == "output_tokens") return Name::kAnswerCount;
      break;
    case 17:
      if (name == "reasoning_content") return Name::kToken;
      if (name == "completion_tokens") return Name::kAnswerCount;
      if (name == "prompt_eval_count") return Name::kPromptCount;
      break;
    default:
      break;
  }
  return Name::kOther;
}

bool is_nonempty_string(std::string_view raw) {
  return raw.size() > 2 && raw.front() == '"';
}

bool is_token(Name name) {
  return name == Name::kToken || name == Name::kThinking;
}

// Empty if it is no string.
std::string_view text_of(std::string_view raw, std::string& scratch) {
  return json::text_of(raw, scratch).value_or(std::string_view());
}

// Does a raw string say `word`? Mostly its first character tells that it does not.
bool says(std::string_view raw, std::string_view word, std::string& scratch) {
  if (raw.size() < 2 || (raw[1] != word[0] && raw[1] != '\\')) return false;
  return text_of(raw, scratch) == word;
}

// As JSON spells it: no sign, no fraction, no leading zero.
std::optional<std::uint64_t> number_of(std::string_view raw) {
  const auto digit = static_cast<unsigned char>(raw.empty() ? 0 : raw.front() - '0');
  if (raw.size() == 1 && digit < 10) return digit;  // an index, mostly
  return digit == 0 ? std::nullopt : parse_decimal(raw);
}

bool is_nonempty_array(std::string_view raw) {
  return raw.starts_with('[') && raw.find_first_not_of(" \n\r\t", 1) != raw.size() - 1;
}

int status_of_name(std::string_view name) {
  if (name == "rate_limit_exceeded" || name == "rate_limit_error") return 429;
  if (name == "invalid_request_error") return 400;
  if (name == "authentication_error") return 401;
  if (name == "permission_error") return 403;
  if (name == "not_found_error") return 404;
  if (name == "request_too_large") return 413;
  if (name == "overloaded_error") return 529;
  if (name == "server_error" || name == "api_error" || name.starts_with("internal")) return 500;
  return 0;
}

// One text's walk. Every function takes the value the cursor stands at and returns false only for
// text that is not JSON; a member of an unexpected type is simply not the fact that was looked for.
class Walk {
 public:
  Walk(std::string_view text, AnswerFacts& facts, std::string& scratch, std::string& type)
      : at_(text, scratch), facts_(facts), scratch_(scratch), type_(type) {}

  bool whole() {
    return members([this](Name name) { return top(name); }) && at_.at_end();
  }

 private:
  // The members of an object; anything else has none.
  template <typename Visit>
  bool members_if_any(Visit visit) {
    return at_.peek() == '{' ? members(visit) : skip();
  }
  template <typename Visit>
  bool members(Visit visit) {
    return at_.members([&](std::string_view name) { return visit(name_of(name)); });
  }
  [[gnu::noinline]] bool skip() { return !at_.take().empty(); }

  bool top(Name name);
  bool choices();
  bool choice();
  bool delta();
  bool inner();
  bool token();
  bool usage();
  bool count(Name name);
  bool error();
  bool status(int& status);

  json::Cursor at_;
  AnswerFacts& facts_;
  std::string& scratch_;
  std::string& type_;
};

bool Walk::token() {
  const std::string_view raw = at_.take();
  facts_.tokens |= is_nonempty_string(raw) || raw.starts_with('{') || is_nonempty_array(raw);
  return !raw.empty();
}

bool Walk::delta() {
  return members_if_any([this](Name name) { return is_token(name) ? token() : skip(); });
}

bool Walk::choice() {
  std::uint64_t index = 0;  // some servers leave it out of a single choice
  bool finished = false;
  const bool json = members_if_any([&](Name name) {
    if (name == Name::kDelta) return delta();
    if (name == Name::kText) return token();
    const std::string_view raw = at_.take();
    if (name == Name::kFinishReason) finished = is_nonempty_string(raw);
    if (name == Name::kIndex) index = number_of(raw).value_or(UINT64_MAX);
    return !raw.empty();
  });
  facts_.choices = true;
  facts_.all_finished &= finished;
  if (index >= 64) {
    facts_.many_choices = true;
    return json;
  }
  facts_.choices_seen |= std::uint64_t{1} << index;
  if (finished) facts_.choices_finished |= std::uint64_t{1} << index;
  return json;
}

bool Walk::choices() {
  return at_.peek() == '[' ? at_.elements([this] { return choice(); }) : skip();
}

// Reads one count under any of its names.
bool Walk::count(Name name) {
  const std::string_view raw = at_.take();
  if (name != Name::kPromptCount && name != Name::kAnswerCount) return !raw.empty();
  if (const auto number = number_of(raw)) {
    Usage& usage = facts_.usage;
    (name == Name::kPromptCount ? usage.prompt_tokens : usage.completion_tokens) = *number;
    usage.known = true;
  }
  return !raw.empty();
}

bool Walk::usage() {
  std::uint64_t total = 0;  // rerankers count nothing else
  const bool json = members_if_any([&](Name name) {
    if (name != Name::kTotalCount) return count(name);
    const std::string_view raw = at_.take();
    total = number_of(raw).value_or(0);
    return !raw.empty();
  });
  if (total == 0 || facts_.usage.known) return json;
  facts_.usage.known = true;
  facts_.usage.prompt_tokens = total;
  return json;
}

// Reads what an error object says about its status. A number is more exact than a name and wins.
bool Walk::status(int& status) {
  const std::string_view raw = at_.take();
  if (const auto name = json::text_of(raw, scratch_)) {
    if (status == 0) status = status_of_name(*name);
  } else if (const auto number = number_of(raw); number && *number >= 400 && *number <= 599) {
    status = static_cast<int>(*number);
  }
  return !raw.empty();
}

bool Walk::error() {
  if (at_.peek() != '{') {
    const std::string_view raw = at_.take();
    facts_.error |= is_nonempty_string(raw);
    return !raw.empty();
  }
  facts_.error = true;
  return members([this](Name name) {
    const bool telling = name == Name::kCode || name == Name::kType;
    return telling ? status(facts_.error_status) : skip();
  });
}

// What an event is about: Anthropic's message, Ollama's message, the object of a Responses event.
bool Walk::inner() {
  if (at_.peek() != '{') return token();
  return members([this](Name name) {
    if (name == Name::kUsage) return usage();
    if (name == Name::kError) return error();
    return is_token(name) ? token() : skip();
  });
}

bool Walk::top(Name name) {
  if (name == Name::kChoices) return choices();
  if (name == Name::kUsage) return usage();
  if (name == Name::kError) return error();
  if (name == Name::kInner) return inner();
  if (name == Name::kThinking) return token();
  if (name == Name::kCode) return status(facts_.top_status);
  if (name == Name::kPromptCount || name == Name::kAnswerCount) return count(name);

  const std::string_view raw = at_.take();
  if (name == Name::kDone) facts_.ended |= raw.starts_with('t');
  if (name == Name::kStopReason) facts_.ended |= is_nonempty_string(raw);
  if (name == Name::kStatus) {
    facts_.ended |= says(raw, "completed", scratch_) || says(raw, "incomplete", scratch_);
  } else if (name == Name::kObject) {
    facts_.error |= says(raw, "error", scratch_);  // SGLang's flat error object
  } else if (name == Name::kType) {
    facts_.type = text_of(raw, type_);
    facts_.error |= facts_.type == "error";
    if (facts_.top_status == 0) facts_.top_status = status_of_name(facts_.type);
  }
  return !raw.empty();
}

}  // namespace

bool AnswerScan::scan(std::string_view text, AnswerFacts& facts) {
  return Walk(text, facts, scratch_, type_).whole();
}

}  // namespace slipstream::contract
