#pragma once

#include <immintrin.h>
#include <stdbool.h>
#include "utf8_faults.h"

// Blocks of 64 bytes as one AVX-512 vector, whose comparisons yield masks directly.

#define BLOCK_TARGET \
  __attribute__((target("avx512f,avx512bw,avx2,bmi,bmi2,popcnt,lzcnt,pclmul")))
#define BLOCK_INLINE                    \
  static inline __attribute__((         \
    always_inline, target("avx512f,avx512bw,avx2,bmi,bmi2,popcnt,lzcnt,pclmul")))
#define BLOCK_OUTLINE static __attribute__((noinline)) BLOCK_TARGET

typedef __m512i block;

BLOCK_INLINE block block_load(const uint8_t *bytes) { return _mm512_loadu_si512(bytes); }

BLOCK_INLINE block block_or(block a, block b) { return _mm512_or_si512(a, b); }

/// True if some byte is not zero.
BLOCK_INLINE bool block_any(block bytes) { return _mm512_test_epi8_mask(bytes, bytes) != 0; }

/// The top bit of every byte.
BLOCK_INLINE uint64_t block_high_bits(block bytes) { return _mm512_movepi8_mask(bytes); }

/// One bit for each byte of the block that equals `value`.
BLOCK_INLINE uint64_t block_equal(block bytes, uint8_t value) {
  return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8((char)value));
}

/// One bit for each byte in which two blocks are equal.
BLOCK_INLINE uint64_t block_equal_bytes(block a, block b) {
  return _mm512_cmpeq_epi8_mask(a, b);
}

/// Every byte with bit 5 set: bytes that differ only in that bit become equal.
BLOCK_INLINE block block_fold(block bytes) {
  return _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
}

/// One bit for each byte from `first` to `last`.
BLOCK_INLINE uint64_t block_in_range(block bytes, uint8_t first, uint8_t last) {
  return _mm512_cmple_epu8_mask(
    _mm512_sub_epi8(bytes, _mm512_set1_epi8((char)first)), _mm512_set1_epi8((char)(last - first)));
}

/// True if some byte is a vertical tab or a form feed.
BLOCK_INLINE bool block_has_bad_control(block bytes) {
  return block_in_range(bytes, 0x0B, 0x0C) != 0;
}

/// One bit for each byte of the form 10xxxxxx.
BLOCK_INLINE uint64_t block_continuations(block bytes) {
  return _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8((char)0xC0));
}

BLOCK_INLINE block utf8_table(const uint8_t entries[16]) {
  return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)entries));
}

/// Nonzero bytes where a byte, or its pair with the previous byte, is malformed. The three bytes
/// before the block are read too.
BLOCK_INLINE block block_utf8_faults(const uint8_t *bytes) {
  block second = block_load(bytes);
  block first = block_load(bytes - 1);
  block nibble = _mm512_set1_epi8(0x0F);
  block first_high = _mm512_and_si512(_mm512_srli_epi16(first, 4), nibble);
  block second_high = _mm512_and_si512(_mm512_srli_epi16(second, 4), nibble);
  block pairs = _mm512_and_si512(
    _mm512_and_si512(
      _mm512_shuffle_epi8(utf8_table(utf8_first_high), first_high),
      _mm512_shuffle_epi8(utf8_table(utf8_first_low), _mm512_and_si512(first, nibble))),
    _mm512_shuffle_epi8(utf8_table(utf8_second_high), second_high));
  // The top bit of each byte that must be a third or fourth one: two bytes after E0 and above,
  // or three bytes after F0 and above.
  block third = _mm512_subs_epu8(block_load(bytes - 2), _mm512_set1_epi8(0xE0 - 0x80));
  block fourth = _mm512_subs_epu8(block_load(bytes - 3), _mm512_set1_epi8(0xF0 - 0x80));
  block expected = _mm512_and_si512(
    _mm512_or_si512(third, fourth), _mm512_set1_epi8((char)FAULT_CONTINUED));
  return _mm512_xor_si512(pairs, expected);
}

/// Each bit of the result is the parity of the bits up to and including its own: a carry-less
/// product with all ones.
BLOCK_INLINE uint64_t running_parity(uint64_t bits) {
  __m128i product = _mm_clmulepi64_si128(
    _mm_cvtsi64_si128((int64_t)bits), _mm_set1_epi8((char)0xFF), 0);
  return (uint64_t)_mm_cvtsi128_si64(product);
}

#define BLOCK_HAS_SHALLOW_MARKS 1

/// Finds which brackets of a block begin or end an element, as `level_marks` does. False if
/// anything in the block is deeper than two, or the container is closed.
///
/// Each bracket changes the parity of the depth. At depth one any bracket may follow. At the other
/// two depths only one may: the opposite of the previous bracket. So all brackets are checked at
/// once, without a branch for each, which would be mispredicted. Processors with AVX-512 gather and
/// spread bits in a few cycles; older ones, which use the AVX2 kernel, may take hundreds.
BLOCK_INLINE bool shallow_marks(
  uint64_t opening, uint64_t closing, int64_t depth, uint64_t *marks) {
  uint64_t brackets = opening | closing;
  // One bit for each bracket, in order: whether it closes, and whether the previous one does.
  uint64_t closes = _pext_u64(closing, brackets);
  uint64_t before = closes << 1 | (depth == 0);
  uint64_t from_even = depth & 1 ? 0xAAAAAAAAAAAAAAAA : 0x5555555555555555;
  uint64_t present = _bzhi_u64(~(uint64_t)0, (uint32_t)__builtin_popcountll(brackets));
  if (depth > 2 || (~(closes ^ before) & from_even & present)) return false;
  // An opening bracket at an even depth is at depth zero; a closing one at an odd depth, at one.
  *marks = _pdep_u64(closes ^ from_even, brackets);
  return true;
}
