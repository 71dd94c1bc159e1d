#pragma once

#include <stdint.h>

// Blocks of 64 bytes as vectors, for the processors whose kernel was measured and tested: x86-64
// with AVX2. Everywhere else the scalar twins do the work.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define FEEDSCAN_HAS_VECTOR 1
#include <immintrin.h>

#define FEEDSCAN_VECTOR_FUNCTION __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt,pclmul")))
#define FEEDSCAN_VECTOR_INLINE \
  static inline __attribute__((always_inline, target("avx2,bmi,bmi2,popcnt,lzcnt,pclmul")))

typedef struct {
  __m256i low, high;
} feedscan_block;

FEEDSCAN_VECTOR_INLINE feedscan_block feedscan_load(const uint8_t *bytes) {
  feedscan_block block = {
    _mm256_loadu_si256((const __m256i *)bytes), _mm256_loadu_si256((const __m256i *)(bytes + 32))};
  return block;
}

FEEDSCAN_VECTOR_INLINE uint64_t feedscan_mask(__m256i low, __m256i high) {
  return (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32
       | (uint32_t)_mm256_movemask_epi8(low);
}

/// One bit for each byte of the block that equals `value`.
FEEDSCAN_VECTOR_INLINE uint64_t feedscan_equal(feedscan_block block, uint8_t value) {
  __m256i wanted = _mm256_set1_epi8((char)value);
  return feedscan_mask(
    _mm256_cmpeq_epi8(block.low, wanted), _mm256_cmpeq_epi8(block.high, wanted));
}

/// One bit for each byte that equals `value` once its bit 5 is set: `{` and `[` differ in that
/// bit alone, and so do `}` and `]`.
FEEDSCAN_VECTOR_INLINE uint64_t feedscan_equal_folded(feedscan_block block, uint8_t value) {
  __m256i fold = _mm256_set1_epi8(0x20);
  feedscan_block folded = {
    _mm256_or_si256(block.low, fold), _mm256_or_si256(block.high, fold)};
  return feedscan_equal(folded, value);
}

/// One bit for each byte that is not ASCII.
FEEDSCAN_VECTOR_INLINE uint64_t feedscan_high_bits(feedscan_block block) {
  return feedscan_mask(block.low, block.high);
}

/// How many of the 64 bytes belong to characters that end inside the block.
FEEDSCAN_VECTOR_INLINE size_t feedscan_whole_characters(const uint8_t *block) {
  if (block[63] >= 0xC0) return 63;
  if (block[62] >= 0xE0) return 62;
  if (block[61] >= 0xF0) return 61;
  return 64;
}

// What can be wrong with two neighbouring bytes, one bit a fault. A pair is at fault if the
// three tables below, asked for the first byte's halves and the second byte's high half, agree
// on a bit. The idea is Keiser and Lemire's, "Validating UTF-8 in less than one instruction per
// byte" (2021).
enum {
  /// A lead byte without its continuation.
  FAULT_SHORT = 1 << 0,
  /// A continuation behind an ASCII byte.
  FAULT_STRAY = 1 << 1,
  /// E0 80…9F.
  FAULT_OVERLONG_3 = 1 << 2,
  /// ED A0…BF.
  FAULT_SURROGATE = 1 << 3,
  /// C0 or C1.
  FAULT_OVERLONG_2 = 1 << 4,
  /// F4 90…BF, or F5 and above before any continuation but 80…8F.
  FAULT_LARGE = 1 << 5,
  /// F0 80…8F, or F5 and above before 80…8F.
  FAULT_OVERLONG_4_OR_LARGE = 1 << 6,
  /// Two continuations in a row: right only as third or fourth byte of a sequence.
  FAULT_CONTINUED = 1 << 7,
};

FEEDSCAN_VECTOR_INLINE __m256i feedscan_table(const uint8_t entries[16]) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)entries));
}

/// The bytes of `current` moved up by `16 - count` places, filled from the end of `before`.
#define FEEDSCAN_PRECEDING(current, before, count) \
  _mm256_alignr_epi8(current, _mm256_permute2x128_si256(before, current, 0x21), count)

FEEDSCAN_VECTOR_INLINE __m256i feedscan_utf8_faults(__m256i current, __m256i before) {
  // Any fault that depends on the first byte's high half alone.
  enum { ANY_LOW = FAULT_SHORT | FAULT_STRAY | FAULT_CONTINUED };
  enum { ABOVE_F4 = ANY_LOW | FAULT_LARGE | FAULT_OVERLONG_4_OR_LARGE };
  enum { ANY_CONTINUATION = FAULT_STRAY | FAULT_OVERLONG_2 | FAULT_CONTINUED };
  static const uint8_t first_high[16] = {
    FAULT_STRAY, FAULT_STRAY, FAULT_STRAY, FAULT_STRAY,
    FAULT_STRAY, FAULT_STRAY, FAULT_STRAY, FAULT_STRAY,
    FAULT_CONTINUED, FAULT_CONTINUED, FAULT_CONTINUED, FAULT_CONTINUED,
    FAULT_SHORT | FAULT_OVERLONG_2,
    FAULT_SHORT,
    FAULT_SHORT | FAULT_OVERLONG_3 | FAULT_SURROGATE,
    FAULT_SHORT | FAULT_LARGE | FAULT_OVERLONG_4_OR_LARGE,
  };
  static const uint8_t first_low[16] = {
    ANY_LOW | FAULT_OVERLONG_3 | FAULT_OVERLONG_2 | FAULT_OVERLONG_4_OR_LARGE,
    ANY_LOW | FAULT_OVERLONG_2,
    ANY_LOW, ANY_LOW,
    ANY_LOW | FAULT_LARGE,
    ABOVE_F4, ABOVE_F4, ABOVE_F4, ABOVE_F4, ABOVE_F4, ABOVE_F4, ABOVE_F4, ABOVE_F4,
    ABOVE_F4 | FAULT_SURROGATE,
    ABOVE_F4, ABOVE_F4,
  };
  static const uint8_t second_high[16] = {
    FAULT_SHORT, FAULT_SHORT, FAULT_SHORT, FAULT_SHORT,
    FAULT_SHORT, FAULT_SHORT, FAULT_SHORT, FAULT_SHORT,
    ANY_CONTINUATION | FAULT_OVERLONG_3 | FAULT_OVERLONG_4_OR_LARGE,
    ANY_CONTINUATION | FAULT_OVERLONG_3 | FAULT_LARGE,
    ANY_CONTINUATION | FAULT_SURROGATE | FAULT_LARGE,
    ANY_CONTINUATION | FAULT_SURROGATE | FAULT_LARGE,
    FAULT_SHORT, FAULT_SHORT, FAULT_SHORT, FAULT_SHORT,
  };
  __m256i nibble = _mm256_set1_epi8(0x0F);
  __m256i first = FEEDSCAN_PRECEDING(current, before, 15);
  __m256i pairs = _mm256_and_si256(
    _mm256_and_si256(
      _mm256_shuffle_epi8(
        feedscan_table(first_high), _mm256_and_si256(_mm256_srli_epi16(first, 4), nibble)),
      _mm256_shuffle_epi8(feedscan_table(first_low), _mm256_and_si256(first, nibble))),
    _mm256_shuffle_epi8(
      feedscan_table(second_high), _mm256_and_si256(_mm256_srli_epi16(current, 4), nibble)));
  // The top bit of each byte that must be a third or fourth one: two places behind E0 and
  // above, or three behind F0 and above.
  __m256i third = _mm256_subs_epu8(
    FEEDSCAN_PRECEDING(current, before, 14), _mm256_set1_epi8((char)(0xE0 - 0x80)));
  __m256i fourth = _mm256_subs_epu8(
    FEEDSCAN_PRECEDING(current, before, 13), _mm256_set1_epi8((char)(0xF0 - 0x80)));
  __m256i expected = _mm256_and_si256(
    _mm256_or_si256(third, fourth), _mm256_set1_epi8((char)FAULT_CONTINUED));
  return _mm256_xor_si256(pairs, expected);
}

/// True if the first `whole` bytes of the block, which begin and end between characters, are
/// well-formed UTF-8.
FEEDSCAN_VECTOR_INLINE int feedscan_is_utf8(feedscan_block block, size_t whole) {
  __m256i zero = _mm256_setzero_si256();
  __m256i low = feedscan_utf8_faults(block.low, zero);
  __m256i high = feedscan_utf8_faults(block.high, block.low);
  uint64_t clean = feedscan_mask(_mm256_cmpeq_epi8(low, zero), _mm256_cmpeq_epi8(high, zero));
  // The byte behind the whole characters, a lead byte, is judged too: it shows a sequence before
  // it that was cut short.
  uint64_t judged = whole < 63 ? ((uint64_t)2 << whole) - 1 : ~(uint64_t)0;
  return (~clean & judged) == 0;
}

#else
#define FEEDSCAN_HAS_VECTOR 0
#endif
