// The inner loop of every string: where does a run of plain bytes stop?
// Reads only inside [p, end): no padding is asked of anybody.
#pragma once

#include <bit>
#include <cstddef>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace slipstream::json {

inline constexpr std::ptrdiff_t kBlock = 16;

// A byte that cannot stand unescaped inside a JSON string, or ends it.
inline bool is_stop(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

// Bit i is set if p[i] is a stop. Precondition: kBlock readable bytes.
inline unsigned stops_in_block(const char* p) {
#if defined(__SSE2__)
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i last_control = _mm_set1_epi8(0x1f);
  const __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
  const __m128i control = _mm_cmpeq_epi8(_mm_max_epu8(block, last_control), last_control);
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)));
#else
  unsigned mask = 0;
  for (int i = 0; i < kBlock; ++i) mask |= static_cast<unsigned>(is_stop(p[i])) << i;
  return mask;
#endif
}

// The first stop at or behind p, or end.
inline const char* find_stop(const char* p, const char* end) {
  for (; end - p >= kBlock; p += kBlock) {
    if (const unsigned stops = stops_in_block(p)) return p + std::countr_zero(stops);
  }
  while (p < end && !is_stop(*p)) ++p;
  return p;
}

// Behind the closing quote of the string that opens at p, or nullptr if it never closes.
// Precondition: p < end and *p == '"'. Escapes are stepped over, not judged.
inline const char* skip_string(const char* p, const char* end) {
  for (p = find_stop(p + 1, end); p < end; p = find_stop(p, end)) {
    if (*p == '"') return p + 1;
    p += *p == '\\' && end - p > 1 ? 2 : 1;
  }
  return nullptr;
}

}  // namespace slipstream::json
