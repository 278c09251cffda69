#include "contract/judge_scan.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace slipstream::contract {
namespace {

namespace ondemand = simdjson::ondemand;

// Every function below returns false only for text that is not JSON; a member of an unexpected type
// is simply not the fact that was looked for.

// First character of the value's text: enough to know its type. 0 if there is none.
char type_of(ondemand::value& value) {
  const std::string_view token = value.raw_json_token();
  return token.empty() ? '\0' : token.front();
}

bool is_nonempty_string(ondemand::value& value) {
  const std::string_view token = value.raw_json_token();
  return token.size() > 2 && token[0] == '"' && token[1] != '"';
}

// Calls `visit(key, value)` for each member while it returns true.
template <typename Visit>
bool for_each_member(ondemand::object& object, Visit visit) {
  for (auto field : object) {
    std::string_view key;
    ondemand::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
    if (field.value().get(value) != simdjson::SUCCESS) return false;
    if (!visit(key, value)) return false;
  }
  return true;
}

template <typename Visit>
bool for_each_member(ondemand::value& value, Visit visit) {
  ondemand::object object;
  if (type_of(value) != '{') return true;
  return value.get_object().get(object) == simdjson::SUCCESS && for_each_member(object, visit);
}

bool is_token_member(std::string_view key) {
  return key == "content" || key == "reasoning" || key == "reasoning_content" ||
         key == "tool_calls" || key == "refusal" || key == "function_call" || key == "thinking";
}

bool scan_token(ondemand::value& value, AnswerFacts& facts) {
  const char type = type_of(value);
  if (type == '[') {
    ondemand::array array;
    bool empty = true;
    if (value.get_array().get(array) != simdjson::SUCCESS ||
        array.is_empty().get(empty) != simdjson::SUCCESS) {
      return false;
    }
    facts.tokens |= !empty;
  } else {
    facts.tokens |= type == '{' || is_nonempty_string(value);
  }
  return true;
}

bool scan_delta(ondemand::value& delta, AnswerFacts& facts) {
  return for_each_member(delta, [&](std::string_view key, ondemand::value& value) {
    return !is_token_member(key) || scan_token(value, facts);
  });
}

bool scan_choice(ondemand::value& choice, AnswerFacts& facts) {
  std::uint64_t index = 0;  // some servers leave it out of a single choice
  bool finished = false;
  const bool json = for_each_member(choice, [&](std::string_view key, ondemand::value& value) {
    if (key == "delta") return scan_delta(value, facts);
    if (key == "text") return scan_token(value, facts);
    if (key == "finish_reason") finished = is_nonempty_string(value);
    if (key == "index" && value.get_uint64().get(index) != simdjson::SUCCESS) index = UINT64_MAX;
    return true;
  });
  facts.choices = true;
  facts.all_finished &= finished;
  if (index >= 64) {
    facts.many_choices = true;
    return json;
  }
  facts.choices_seen |= std::uint64_t{1} << index;
  if (finished) facts.choices_finished |= std::uint64_t{1} << index;
  return json;
}

bool scan_choices(ondemand::value& choices, AnswerFacts& facts) {
  ondemand::array array;
  if (type_of(choices) != '[') return true;
  if (choices.get_array().get(array) != simdjson::SUCCESS) return false;
  for (auto element : array) {
    ondemand::value choice;
    if (element.get(choice) != simdjson::SUCCESS || !scan_choice(choice, facts)) return false;
  }
  return true;
}

// Reads one count under any of its names.
void note_count(std::string_view key, ondemand::value& value, Usage& usage) {
  const bool prompt = key == "prompt_tokens" || key == "input_tokens" || key == "prompt_eval_count";
  if (!prompt && key != "completion_tokens" && key != "output_tokens" && key != "eval_count") {
    return;
  }
  std::uint64_t count = 0;
  if (value.get_uint64().get(count) != simdjson::SUCCESS) return;
  (prompt ? usage.prompt_tokens : usage.completion_tokens) = count;
  usage.known = true;
}

bool scan_usage(ondemand::value& usage, AnswerFacts& facts) {
  std::uint64_t total = 0;  // rerankers count nothing else
  const bool json = for_each_member(usage, [&](std::string_view key, ondemand::value& value) {
    if (key == "total_tokens" && value.get_uint64().get(total) != simdjson::SUCCESS) total = 0;
    note_count(key, value, facts.usage);
    return true;
  });
  if (total == 0 || facts.usage.known) return json;
  facts.usage.known = true;
  facts.usage.prompt_tokens = total;
  return json;
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

// Reads one member of an error object. A number is more exact than a name and wins.
void note_status(std::string_view key, ondemand::value& value, int& status) {
  if (key != "code" && key != "type") return;
  if (type_of(value) == '"') {
    std::string_view name;
    if (value.get_string().get(name) == simdjson::SUCCESS && status == 0) {
      status = status_of_name(name);
    }
    return;
  }
  std::uint64_t number = 0;
  if (value.get_uint64().get(number) == simdjson::SUCCESS && number >= 400 && number <= 599) {
    status = static_cast<int>(number);
  }
}

bool scan_error(ondemand::value& error, AnswerFacts& facts) {
  const char type = type_of(error);
  facts.error |= type == '{' || is_nonempty_string(error);
  return for_each_member(error, [&](std::string_view key, ondemand::value& value) {
    note_status(key, value, facts.error_status);
    return true;
  });
}

// What an event is about: Anthropic's message, Ollama's message, the object of a Responses event.
bool scan_inner(ondemand::value& inner, AnswerFacts& facts) {
  return for_each_member(inner, [&](std::string_view key, ondemand::value& value) {
    if (key == "usage") return scan_usage(value, facts);
    if (key == "error") return scan_error(value, facts);
    return !is_token_member(key) || scan_token(value, facts);
  });
}

std::string_view string_of(ondemand::value& value) {
  std::string_view text;
  if (type_of(value) != '"' || value.get_string().get(text) != simdjson::SUCCESS) return {};
  return text;
}

bool scan_top(std::string_view key, ondemand::value& value, AnswerFacts& facts) {
  if (key == "choices") return scan_choices(value, facts);
  if (key == "usage") return scan_usage(value, facts);
  if (key == "error") return scan_error(value, facts);
  if (key == "message" || key == "response") {
    return type_of(value) == '{' ? scan_inner(value, facts) : scan_token(value, facts);
  }
  if (key == "thinking") return scan_token(value, facts);
  if (key == "done") facts.ended |= type_of(value) == 't';
  if (key == "stop_reason") facts.ended |= is_nonempty_string(value);
  if (key == "status") {
    const std::string_view status = string_of(value);
    facts.ended |= status == "completed" || status == "incomplete";
  } else if (key == "object") {
    facts.error |= string_of(value) == "error";  // SGLang's flat error object
  } else if (key == "type") {
    facts.type = string_of(value);
    facts.error |= facts.type == "error";
    if (facts.top_status == 0) facts.top_status = status_of_name(facts.type);
  } else {
    note_status(key, value, facts.top_status);
    note_count(key, value, facts.usage);
  }
  return true;
}

}  // namespace

struct AnswerScan::Memory {
  // Copies `text` with the padding behind it that simdjson reads.
  simdjson::padded_string_view hold(std::string_view text) {
    const std::size_t needed = text.size() + simdjson::SIMDJSON_PADDING;
    if (capacity < needed) {
      capacity = std::bit_ceil(std::max<std::size_t>(needed, 1024));
      bytes = std::make_unique<char[]>(capacity);
    }
    std::copy(text.begin(), text.end(), bytes.get());
    std::memset(bytes.get() + text.size(), 0, simdjson::SIMDJSON_PADDING);
    return simdjson::padded_string_view(bytes.get(), text.size(), capacity);
  }

  ondemand::parser parser;
  std::unique_ptr<char[]> bytes;
  std::size_t capacity = 0;
};

AnswerScan::AnswerScan() : memory_(std::make_unique<Memory>()) {}
AnswerScan::~AnswerScan() = default;

bool AnswerScan::scan(std::string_view text, AnswerFacts& facts) {
  const simdjson::padded_string_view padded = memory_->hold(text);
  ondemand::parser& parser = memory_->parser;
  if (parser.capacity() < text.size() &&
      parser.allocate(memory_->capacity) != simdjson::SUCCESS) {  // grows in powers of two
    return false;
  }
  ondemand::document document;
  ondemand::object object;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return false;
  if (document.get_object().get(object) != simdjson::SUCCESS) return false;
  const bool json = for_each_member(object, [&](std::string_view key, ondemand::value& value) {
    return scan_top(key, value, facts);
  });
  // A place to stand on behind the object means that something stands there.
  return json && document.current_location().error() != simdjson::SUCCESS;
}

}  // namespace slipstream::contract
