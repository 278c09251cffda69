// The walk behind Canonicalizer: validates one JSON text and writes it in source order.
// Internal to json/. One Walker per text; recursion is bounded by kDepthMax.
#pragma once

#include <cstring>

#include "json/canonical.h"
#include "json/scan.h"

namespace slipstream::json {

class Walker {
 public:
  // Output never outgrows the input, so `out` needs text.size() + kBlock bytes (copies go in
  // blocks). Precondition: `text` is valid UTF-8.
  Walker(std::string_view text, char* out, Canonicalizer& owner);

  // Walks all of it; false on failure, then error() says why.
  bool run();

  const Error& error() const { return error_; }
  char* out() const { return out_; }

 private:
  bool value(int depth);
  bool object(int depth);
  bool member(int depth);
  bool array(int depth);
  bool string();
  void copy_plain();
  bool escape();
  bool number();
  bool digits();
  bool literal(std::string_view word);
  bool names_unique(std::size_t first);

  bool fail(Fault fault, const char* at);
  bool unexpected() {
    return fail(p_ == end_ ? Fault::kUnexpectedEnd : Fault::kUnexpectedByte, p_);
  }
  char peek() const { return p_ == end_ ? '\0' : *p_; }
  void skip_space() {
    // One comparison where there is none: every other byte of the grammar is above.
    while (p_ != end_ && *p_ <= ' ' && (*p_ == ' ' || *p_ == '\n' || *p_ == '\r' || *p_ == '\t'))
      ++p_;
  }
  // Steps over `c` and the white space behind it; false if something else stands here.
  bool take(char c) {
    if (peek() != c) return false;
    *out_++ = c;
    ++p_;
    skip_space();
    return true;
  }

  const char* const begin_;
  const char* p_;
  const char* const end_;
  char* out_;
  Canonicalizer& owner_;
  Error error_{Fault::kUnexpectedEnd, 0};
};

}  // namespace slipstream::json
