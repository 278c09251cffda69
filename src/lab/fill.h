// Patterns with one-letter gaps: fill(out, R"({"id":"msg_$c"})", put) appends the text and calls
// put(out, 'c') at the gap. What each letter stands for is up to the caller. Pure.
#pragma once

#include <string>
#include <string_view>

namespace slipstream::lab {

// Precondition: every '$' of `pattern` is followed by the letter of a gap.
template <typename Put>
void fill(std::string& out, std::string_view pattern, const Put& put) {
  for (std::size_t gap = 0; (gap = pattern.find('$')) != std::string_view::npos;) {
    out += pattern.substr(0, gap);
    put(out, pattern[gap + 1]);
    pattern.remove_prefix(gap + 2);
  }
  out += pattern;
}

}  // namespace slipstream::lab
