#include "lab/token.h"

#include "base/text.h"

namespace slipstream::lab {

void append_token(std::string& out, Token token, int bytes) {
  const std::size_t begin = out.size();
  out += " c";
  append_decimal(out, token.call);
  out += 't';
  append_decimal(out, token.index);
  const std::size_t wanted = bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  if (out.size() - begin < wanted) out.append(wanted - (out.size() - begin), 'x');
}

std::optional<Token> parse_token(std::string_view text) {
  if (!text.starts_with(" c")) return std::nullopt;
  text.remove_prefix(2);
  while (text.ends_with('x')) text.remove_suffix(1);
  const std::size_t t = text.find('t');
  if (t == std::string_view::npos) return std::nullopt;
  const auto call = parse_decimal(text.substr(0, t));
  const auto index = parse_decimal(text.substr(t + 1));
  if (!call || !index) return std::nullopt;
  return Token{*call, *index};
}

TokenTrail::State TokenTrail::add(std::string_view text) {
  pending_ += text;
  std::string_view rest = pending_;
  for (std::size_t end = 0; (end = rest.find(' ', 1)) != std::string_view::npos;) {
    judge(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  pending_.erase(0, pending_.size() - rest.size());
  return state_;
}

TokenTrail::State TokenTrail::finish() {
  if (!pending_.empty()) judge(pending_);
  pending_.clear();
  return state_;
}

void TokenTrail::judge(std::string_view text) {
  if (state_ != State::kSound) return;
  const auto token = parse_token(text);
  if (!token) {
    state_ = State::kNotTokens;
  } else if (call_.value_or(token->call) != token->call) {
    state_ = State::kMixedCalls;
  } else if (token->index != count_) {
    state_ = State::kGap;
  } else {
    call_ = token->call;
    ++count_;
  }
}

}  // namespace slipstream::lab
