#pragma once

#include <immintrin.h>
#include <stdbool.h>
#include "utf8_faults.h"

// Blocks of 64 bytes as two AVX2 vectors.

#define BLOCK_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt,pclmul")))
#define BLOCK_INLINE \
  static inline __attribute__((always_inline, target("avx2,bmi,bmi2,popcnt,lzcnt,pclmul")))
#define BLOCK_OUTLINE static __attribute__((noinline)) BLOCK_TARGET

typedef struct {
  __m256i low, high;
} block;

BLOCK_INLINE block block_load(const uint8_t *bytes) {
  return (block){
    _mm256_loadu_si256((const __m256i *)bytes), _mm256_loadu_si256((const __m256i *)(bytes + 32))};
}

BLOCK_INLINE block block_or(block a, block b) {
  return (block){_mm256_or_si256(a.low, b.low), _mm256_or_si256(a.high, b.high)};
}

/// True if some byte is not zero.
BLOCK_INLINE bool block_any(block bytes) {
  __m256i any = _mm256_or_si256(bytes.low, bytes.high);
  return !_mm256_testz_si256(any, any);
}

/// The top bit of every byte.
BLOCK_INLINE uint64_t block_high_bits(block bytes) {
  return (uint64_t)(uint32_t)_mm256_movemask_epi8(bytes.high) << 32
       | (uint32_t)_mm256_movemask_epi8(bytes.low);
}

/// One bit for each byte of the block that equals `value`.
BLOCK_INLINE uint64_t block_equal(block bytes, uint8_t value) {
  __m256i wanted = _mm256_set1_epi8((char)value);
  return block_high_bits((block){
    _mm256_cmpeq_epi8(bytes.low, wanted), _mm256_cmpeq_epi8(bytes.high, wanted)});
}

/// One bit for each byte in which two blocks are equal.
BLOCK_INLINE uint64_t block_equal_bytes(block a, block b) {
  return block_high_bits((block){
    _mm256_cmpeq_epi8(a.low, b.low), _mm256_cmpeq_epi8(a.high, b.high)});
}

/// Every byte with bit 5 set: bytes that differ only in that bit become equal.
BLOCK_INLINE block block_fold(block bytes) {
  __m256i fold = _mm256_set1_epi8(0x20);
  return (block){_mm256_or_si256(bytes.low, fold), _mm256_or_si256(bytes.high, fold)};
}

/// One bit for each byte from `first` to `last`.
BLOCK_INLINE uint64_t block_in_range(block bytes, uint8_t first, uint8_t last) {
  __m256i start = _mm256_set1_epi8((char)first);
  __m256i width = _mm256_set1_epi8((char)(last - first));
  __m256i low = _mm256_sub_epi8(bytes.low, start);
  __m256i high = _mm256_sub_epi8(bytes.high, start);
  return block_high_bits((block){
    _mm256_cmpeq_epi8(_mm256_min_epu8(low, width), low),
    _mm256_cmpeq_epi8(_mm256_min_epu8(high, width), high)});
}

/// True if some byte is a vertical tab or a form feed.
BLOCK_INLINE bool block_has_bad_control(block bytes) {
  __m256i tab = _mm256_set1_epi8(0x0B), feed = _mm256_set1_epi8(0x0C);
  __m256i low = _mm256_or_si256(
    _mm256_cmpeq_epi8(bytes.low, tab), _mm256_cmpeq_epi8(bytes.low, feed));
  __m256i high = _mm256_or_si256(
    _mm256_cmpeq_epi8(bytes.high, tab), _mm256_cmpeq_epi8(bytes.high, feed));
  return block_any((block){low, high});
}

/// One bit for each byte of the form 10xxxxxx.
BLOCK_INLINE uint64_t block_continuations(block bytes) {
  __m256i leads = _mm256_set1_epi8((char)0xC0);
  return block_high_bits((block){
    _mm256_cmpgt_epi8(leads, bytes.low), _mm256_cmpgt_epi8(leads, bytes.high)});
}

BLOCK_INLINE __m256i utf8_table(const uint8_t entries[16]) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)entries));
}

/// Nonzero bytes where a byte, or its pair with the previous byte, is malformed.
BLOCK_INLINE __m256i utf8_faults(const uint8_t *bytes) {
  __m256i second = _mm256_loadu_si256((const __m256i *)bytes);
  __m256i first = _mm256_loadu_si256((const __m256i *)(bytes - 1));
  __m256i nibble = _mm256_set1_epi8(0x0F);
  __m256i first_high = _mm256_and_si256(_mm256_srli_epi16(first, 4), nibble);
  __m256i second_high = _mm256_and_si256(_mm256_srli_epi16(second, 4), nibble);
  __m256i pairs = _mm256_and_si256(
    _mm256_and_si256(
      _mm256_shuffle_epi8(utf8_table(utf8_first_high), first_high),
      _mm256_shuffle_epi8(utf8_table(utf8_first_low), _mm256_and_si256(first, nibble))),
    _mm256_shuffle_epi8(utf8_table(utf8_second_high), second_high));
  // The top bit of each byte that must be a third or fourth one: two bytes after E0 and above,
  // or three bytes after F0 and above.
  __m256i third = _mm256_subs_epu8(
    _mm256_loadu_si256((const __m256i *)(bytes - 2)), _mm256_set1_epi8(0xE0 - 0x80));
  __m256i fourth = _mm256_subs_epu8(
    _mm256_loadu_si256((const __m256i *)(bytes - 3)), _mm256_set1_epi8(0xF0 - 0x80));
  __m256i expected = _mm256_and_si256(
    _mm256_or_si256(third, fourth), _mm256_set1_epi8((char)FAULT_CONTINUED));
  return _mm256_xor_si256(pairs, expected);
}

/// The same for 64 bytes. The three bytes before the block are read too.
BLOCK_INLINE block block_utf8_faults(const uint8_t *bytes) {
  return (block){utf8_faults(bytes), utf8_faults(bytes + 32)};
}

/// Each bit of the result is the parity of the bits up to and including its own: a carry-less
/// product with all ones.
BLOCK_INLINE uint64_t running_parity(uint64_t bits) {
  __m128i product = _mm_clmulepi64_si128(
    _mm_cvtsi64_si128((int64_t)bits), _mm_set1_epi8((char)0xFF), 0);
  return (uint64_t)_mm_cvtsi128_si64(product);
}
