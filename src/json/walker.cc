#include "json/walker.h"

#include <algorithm>
#include <span>
#include <utility>

#include "json/decimal.h"
#include "json/escape.h"

namespace slipstream::json {
namespace {

// Up to here comparing every pair beats sorting.
constexpr std::size_t kPairwiseMax = 16;
// A number this short and without exponent is below 10^308.
constexpr std::ptrdiff_t kSurelyFinite = 300;

template <typename Name>
bool any_equal(std::span<const Name> names) {
  const Name* const end = names.data() + names.size();
  for (const Name* i = names.data(); i != end; ++i) {
    for (const Name* j = names.data(); j != i; ++j) {
      if (i->text == j->text) return true;
    }
  }
  return false;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

Walker::Walker(std::string_view text, char* out, Canonicalizer& owner)
    : begin_(text.data()), p_(begin_), end_(begin_ + text.size()), out_(out), owner_(owner) {}

bool Walker::fail(Fault fault, const char* at) {
  error_ = {fault, static_cast<std::size_t>(at - begin_)};
  return false;
}

bool Walker::run() {
  skip_space();
  if (!value(0)) return false;
  skip_space();
  return p_ == end_ || fail(Fault::kTrailingBytes, p_);
}

bool Walker::value(int depth) {
  switch (peek()) {
    case '{':
      return object(depth + 1);
    case '[':
      return array(depth + 1);
    case '"':
      return string();
    case 't':
      return literal("true");
    case 'f':
      return literal("false");
    case 'n':
      return literal("null");
    default:
      return peek() == '-' || is_digit(peek()) ? number() : unexpected();
  }
}

bool Walker::object(int depth) {
  if (depth > kDepthMax) return fail(Fault::kTooDeep, p_);
  const std::size_t first = owner_.names_.size();
  take('{');
  if (peek() != '}') {
    do {
      if (!member(depth)) return false;
      skip_space();
    } while (take(','));
  }
  if (peek() != '}') return unexpected();
  *out_++ = *p_++;
  return names_unique(first);
}

bool Walker::member(int depth) {
  if (peek() != '"') return unexpected();
  const auto offset = static_cast<std::size_t>(p_ - begin_);
  const char* const name_out = out_ + 1;
  if (!string()) return false;
  const std::string_view name(name_out, static_cast<std::size_t>(out_ - 1 - name_out));
  owner_.names_.push_back({name, offset});
  skip_space();
  if (!take(':')) return unexpected();

  const char* const raw = p_;
  const char* const value_out = out_;
  if (!value(depth)) return false;
  if (depth == 1) {
    const std::string_view written(value_out, static_cast<std::size_t>(out_ - value_out));
    const std::string_view source(raw, static_cast<std::size_t>(p_ - raw));
    owner_.members_.push_back({name, written, source, *kind_of(source)});
  }
  return true;
}

bool Walker::array(int depth) {
  if (depth > kDepthMax) return fail(Fault::kTooDeep, p_);
  take('[');
  if (peek() != ']') {
    do {
      if (!value(depth)) return false;
      skip_space();
    } while (take(','));
  }
  if (peek() != ']') return unexpected();
  *out_++ = *p_++;
  return true;
}

// Copies up to the next stop. Local pointers: stores through a char* may alias members, and
// reloading those on every block would double the time.
void Walker::copy_plain() {
  const char* p = p_;
  const char* const end = end_;
  char* out = out_;
  for (; end - p >= kBlock; p += kBlock, out += kBlock) {
    const unsigned stops = stops_in_block(p);
    std::memcpy(out, p, kBlock);
    if (stops != 0) {
      p_ = p + std::countr_zero(stops);
      out_ = out + std::countr_zero(stops);
      return;
    }
    // A string that fills a block is likely a long one.
    for (; end - p >= kBlock + kRun && !stops_in_run(p + kBlock); p += kRun, out += kRun) {
      std::memcpy(out + kBlock, p + kBlock, kRun);
    }
  }
  while (p != end && !is_stop(*p)) *out++ = *p++;
  p_ = p;
  out_ = out;
}

bool Walker::string() {
  *out_++ = *p_++;
  for (;;) {
    copy_plain();
    if (p_ == end_) return unexpected();
    if (*p_ == '"') break;
    if (*p_ != '\\') return fail(Fault::kControlCharacter, p_);
    if (!escape()) return false;
  }
  *out_++ = *p_++;
  return true;
}

bool Walker::escape() {
  const Escape escape = decode_escape({p_, static_cast<std::size_t>(end_ - p_)});
  if (escape.length == 0) return fail(Fault::kBadEscape, p_);
  if (escape.code_point >= 0xd800 && escape.code_point <= 0xdfff) {
    return fail(Fault::kLoneSurrogate, p_);
  }
  if (escape.code_point < 0x80 && is_stop(static_cast<char>(escape.code_point))) {
    out_ = put_escaped(out_, static_cast<char>(escape.code_point));
  } else {
    out_ = put_utf8(out_, escape.code_point);
  }
  p_ += escape.length;
  return true;
}

bool Walker::number() {
  const char* const start = p_;
  if (*p_ == '-') ++p_;
  const bool leading_zero = peek() == '0';
  if (!digits()) return false;
  if (leading_zero && p_ - start > 1 + (*start == '-')) return fail(Fault::kBadNumber, start);
  if (peek() == '.') {
    ++p_;
    if (!digits()) return false;
  }
  bool surely_finite = p_ - start <= kSurelyFinite;
  if (peek() == 'e' || peek() == 'E') {
    ++p_;
    if (peek() == '+' || peek() == '-') ++p_;
    if (!digits()) return false;
    surely_finite = false;
  }
  const std::string_view text(start, static_cast<std::size_t>(p_ - start));
  if (!surely_finite && !is_finite(text)) return fail(Fault::kNotFinite, start);
  out_ = std::copy(start, p_, out_);
  return true;
}

bool Walker::digits() {
  const char* p = p_;
  while (p != end_ && is_digit(*p)) ++p;
  if (std::exchange(p_, p) != p) return true;
  return p_ == end_ ? unexpected() : fail(Fault::kBadNumber, p_);
}

bool Walker::literal(std::string_view word) {
  const std::string_view rest(p_, static_cast<std::size_t>(end_ - p_));
  if (!rest.starts_with(word)) return fail(Fault::kBadLiteral, p_);
  out_ = std::copy(word.begin(), word.end(), out_);
  p_ += word.size();
  return true;
}

// Takes the names from `first` on off the stack; fails on the earliest one that repeats another.
bool Walker::names_unique(std::size_t first) {
  auto& names = owner_.names_;
  const std::span all = std::span(names).subspan(first);
  const char* duplicate = nullptr;
  if (all.size() > kPairwiseMax || any_equal<Canonicalizer::Name>(all)) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.text != b.text ? a.text < b.text : a.offset < b.offset;
    });
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (all[i].text != all[i - 1].text) continue;
      const char* const at = begin_ + all[i].offset;
      if (duplicate == nullptr || at < duplicate) duplicate = at;
    }
  }
  names.erase(names.begin() + static_cast<std::ptrdiff_t>(first), names.end());
  return duplicate == nullptr || fail(Fault::kDuplicateName, duplicate);
}

}  // namespace slipstream::json
