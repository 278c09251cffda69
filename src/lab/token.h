// The stub's tokens: " c17t3" is token 3 of call 17, so that a reader can prove which generation
// every piece of an answer came from. Padding to a wanted size is a tail of 'x'.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipstream::lab {

struct Token {
  std::uint64_t call = 0;
  std::uint64_t index = 0;
};

// Appends the token, padded to at least `bytes`.
void append_token(std::string& out, Token token, int bytes);

// Nothing if `text` is not exactly one token.
std::optional<Token> parse_token(std::string_view text);

// Follows the text of one choice, in any pieces, and tells whether it is tokens 0, 1, 2 ... of one
// call without a gap. Value type.
class TokenTrail {
 public:
  enum class State { kSound, kMixedCalls, kGap, kNotTokens };

  // A failed trail stays failed.
  State add(std::string_view text);
  // Judges the last token, whose end only the end of the text shows.
  State finish();

  std::uint64_t count() const { return count_; }  // tokens judged sound
  std::optional<std::uint64_t> call() const { return call_; }

 private:
  void judge(std::string_view text);

  State state_ = State::kSound;
  std::string pending_;
  std::uint64_t count_ = 0;
  std::optional<std::uint64_t> call_;
};

}  // namespace slipstream::lab
