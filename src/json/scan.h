// The inner loop of every string: where does a run of plain bytes stop?
// Reads only inside [p, end): no padding is asked of anybody.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace slipstream::json {

inline constexpr std::ptrdiff_t kBlock = 16;
inline constexpr std::ptrdiff_t kRun = 4 * kBlock;

// A byte that cannot stand unescaped inside a JSON string, or ends it.
inline bool is_stop(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

#if defined(__SSE2__)
inline __m128i load_block(const char* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
inline __m128i quote_bytes(__m128i block) {  // 0xff for each quote and backslash
  return _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')),
                      _mm_cmpeq_epi8(block, _mm_set1_epi8('\\')));
}
inline __m128i control_bytes(__m128i block) {
  const __m128i last_control = _mm_set1_epi8(0x1f);
  return _mm_cmpeq_epi8(_mm_max_epu8(block, last_control), last_control);
}
#endif

// Bit i is set if p[i] is a stop. Precondition: kBlock readable bytes.
inline unsigned stops_in_block(const char* p) {
#if defined(__SSE2__)
  const __m128i block = load_block(p);
  const __m128i stops = _mm_or_si128(quote_bytes(block), control_bytes(block));
  return static_cast<unsigned>(_mm_movemask_epi8(stops));
#else
  unsigned mask = 0;
  for (int i = 0; i < kBlock; ++i) mask |= static_cast<unsigned>(is_stop(p[i])) << i;
  return mask;
#endif
}

// True if a stop stands among the kRun bytes at p, which are readable. Half the cost of asking each
// block, but only where the answer is mostly no: inside a long string.
inline bool stops_in_run(const char* p) {
#if defined(__SSE2__)
  const __m128i a = load_block(p);
  const __m128i b = load_block(p + kBlock);
  const __m128i c = load_block(p + 2 * kBlock);
  const __m128i d = load_block(p + 3 * kBlock);
  const __m128i lowest = _mm_min_epu8(_mm_min_epu8(a, b), _mm_min_epu8(c, d));
  const __m128i quotes = _mm_or_si128(_mm_or_si128(quote_bytes(a), quote_bytes(b)),
                                      _mm_or_si128(quote_bytes(c), quote_bytes(d)));
  return _mm_movemask_epi8(_mm_or_si128(quotes, control_bytes(lowest))) != 0;
#else
  for (int i = 0; i < kRun; ++i) {
    if (is_stop(p[i])) return true;
  }
  return false;
#endif
}

// The first place in [p, end) where `first` stands with `second` right behind it, or end.
inline const char* find_pair(const char* p, const char* end, char first, char second) {
#if defined(__SSE2__)
  for (; end - p > kBlock; p += kBlock) {
    const __m128i pairs = _mm_and_si128(_mm_cmpeq_epi8(load_block(p), _mm_set1_epi8(first)),
                                        _mm_cmpeq_epi8(load_block(p + 1), _mm_set1_epi8(second)));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(pairs));
    if (mask != 0) return p + std::countr_zero(mask);
  }
#endif
  for (; end - p > 1; ++p) {
    if (p[0] == first && p[1] == second) return p;
  }
  return end;
}

// The first stop at or behind p, or end.
inline const char* find_stop(const char* p, const char* end) {
  for (; end - p >= kBlock; p += kBlock) {
    if (const unsigned stops = stops_in_block(p)) return p + std::countr_zero(stops);
  }
  while (p < end && !is_stop(*p)) ++p;
  return p;
}

// The first quote or bracket at or behind p, or end.
inline const char* find_mark(const char* p, const char* end) {
#if defined(__SSE2__)
  for (; end - p >= kBlock; p += kBlock) {
    const __m128i block = load_block(p);
    const __m128i curly = _mm_or_si128(block, _mm_set1_epi8(0x20));  // [ and ] are { and } then
    const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')),
                                       _mm_or_si128(_mm_cmpeq_epi8(curly, _mm_set1_epi8('{')),
                                                    _mm_cmpeq_epi8(curly, _mm_set1_epi8('}'))));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(marks));
    if (mask != 0) return p + std::countr_zero(mask);
  }
#endif
  while (p < end && *p != '"' && (*p | 0x20) != '{' && (*p | 0x20) != '}') ++p;
  return p;
}

// Characters of numbers and literals, well spelt or not.
inline constexpr auto kScalar = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("+-.0123456789Eabcdefghijklmnopqrstuvwxyz")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

// Behind the number or literal at p; p if none stands there.
inline const char* skip_scalar(const char* p, const char* end) {
  while (p < end && kScalar[static_cast<unsigned char>(*p)]) ++p;
  return p;
}

// The quote that closes a string whose text begins at p, if that is near and no escape stands
// before it: most strings. nullptr: look closer.
inline const char* near_quote(const char* p, const char* end) {
  if (end - p < kBlock) return nullptr;
  const unsigned stops = stops_in_block(p);
  if (stops == 0) return nullptr;
  p += std::countr_zero(stops);
  return *p == '"' ? p : nullptr;
}

// Behind the closing quote of the string that opens at p, or nullptr if it never closes or holds a
// control character. Precondition: p < end and *p == '"'. Escapes are stepped over, not judged.
inline const char* skip_string(const char* p, const char* end) {
  for (p = find_stop(p + 1, end); p < end; p = find_stop(p + 2, end)) {
    if (*p == '"') return p + 1;
    if (*p != '\\' || end - p < 2) return nullptr;
  }
  return nullptr;
}

}  // namespace slipstream::json
