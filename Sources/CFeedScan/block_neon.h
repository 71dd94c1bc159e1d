#pragma once

#include <arm_neon.h>
#include <stdbool.h>
#include "utf8_faults.h"

// Blocks of 64 bytes as four NEON vectors. NEON is part of every aarch64 processor.

#define BLOCK_TARGET
#define BLOCK_INLINE static inline __attribute__((always_inline))
#define BLOCK_OUTLINE static __attribute__((noinline)) BLOCK_TARGET

typedef struct {
  uint8x16_t part[4];
} block;

BLOCK_INLINE block block_load(const uint8_t *bytes) {
  return (block){
    {vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)}};
}

BLOCK_INLINE block block_or(block a, block b) {
  for (int i = 0; i < 4; i++) a.part[i] = vorrq_u8(a.part[i], b.part[i]);
  return a;
}

/// True if some byte is not zero.
BLOCK_INLINE bool block_any(block bytes) {
  uint8x16_t any = vorrq_u8(
    vorrq_u8(bytes.part[0], bytes.part[1]), vorrq_u8(bytes.part[2], bytes.part[3]));
  return vmaxvq_u8(any) != 0;
}

/// One bit for each byte, which must be zero or all ones. NEON has no instruction for this: each
/// byte keeps its own bit, and neighbours are added until eight share a byte.
BLOCK_INLINE uint64_t block_mask(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
  const uint8x16_t bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint8x16_t low = vpaddq_u8(vandq_u8(a, bits), vandq_u8(b, bits));
  uint8x16_t high = vpaddq_u8(vandq_u8(c, bits), vandq_u8(d, bits));
  uint8x16_t sum = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
}

/// Nonzero if some byte is not ASCII.
BLOCK_INLINE uint64_t block_high_bits(block bytes) {
  uint8x16_t any = vorrq_u8(
    vorrq_u8(bytes.part[0], bytes.part[1]), vorrq_u8(bytes.part[2], bytes.part[3]));
  return vmaxvq_u8(any) >> 7;
}

/// One bit for each byte of the block that equals `value`.
BLOCK_INLINE uint64_t block_equal(block bytes, uint8_t value) {
  uint8x16_t wanted = vdupq_n_u8(value);
  return block_mask(
    vceqq_u8(bytes.part[0], wanted), vceqq_u8(bytes.part[1], wanted),
    vceqq_u8(bytes.part[2], wanted), vceqq_u8(bytes.part[3], wanted));
}

/// One bit for each byte in which two blocks are equal.
BLOCK_INLINE uint64_t block_equal_bytes(block a, block b) {
  return block_mask(
    vceqq_u8(a.part[0], b.part[0]), vceqq_u8(a.part[1], b.part[1]),
    vceqq_u8(a.part[2], b.part[2]), vceqq_u8(a.part[3], b.part[3]));
}

/// Every byte with bit 5 set: bytes that differ only in that bit become equal.
BLOCK_INLINE block block_fold(block bytes) {
  uint8x16_t fold = vdupq_n_u8(0x20);
  for (int i = 0; i < 4; i++) bytes.part[i] = vorrq_u8(bytes.part[i], fold);
  return bytes;
}

BLOCK_INLINE block compare_range(block bytes, uint8_t first, uint8_t last) {
  uint8x16_t start = vdupq_n_u8(first), width = vdupq_n_u8((uint8_t)(last - first));
  for (int i = 0; i < 4; i++) bytes.part[i] = vcleq_u8(vsubq_u8(bytes.part[i], start), width);
  return bytes;
}

/// One bit for each byte from `first` to `last`.
BLOCK_INLINE uint64_t block_in_range(block bytes, uint8_t first, uint8_t last) {
  block inside = compare_range(bytes, first, last);
  return block_mask(inside.part[0], inside.part[1], inside.part[2], inside.part[3]);
}

/// True if some byte is a vertical tab or a form feed.
BLOCK_INLINE bool block_has_bad_control(block bytes) {
  return block_any(compare_range(bytes, 0x0B, 0x0C));
}

/// One bit for each byte of the form 10xxxxxx.
BLOCK_INLINE uint64_t block_continuations(block bytes) {
  return block_in_range(bytes, 0x80, 0xBF);
}

/// Nonzero bytes where a byte, or its pair with the previous byte, is malformed.
BLOCK_INLINE uint8x16_t utf8_faults(const uint8_t *bytes) {
  uint8x16_t second = vld1q_u8(bytes), first = vld1q_u8(bytes - 1);
  uint8x16_t pairs = vandq_u8(
    vandq_u8(
      vqtbl1q_u8(vld1q_u8(utf8_first_high), vshrq_n_u8(first, 4)),
      vqtbl1q_u8(vld1q_u8(utf8_first_low), vandq_u8(first, vdupq_n_u8(0x0F)))),
    vqtbl1q_u8(vld1q_u8(utf8_second_high), vshrq_n_u8(second, 4)));
  // The top bit of each byte that must be a third or fourth one: two bytes after E0 and above,
  // or three bytes after F0 and above.
  uint8x16_t third = vqsubq_u8(vld1q_u8(bytes - 2), vdupq_n_u8(0xE0 - 0x80));
  uint8x16_t fourth = vqsubq_u8(vld1q_u8(bytes - 3), vdupq_n_u8(0xF0 - 0x80));
  uint8x16_t expected = vandq_u8(vorrq_u8(third, fourth), vdupq_n_u8(FAULT_CONTINUED));
  return veorq_u8(pairs, expected);
}

/// The same for 64 bytes. The three bytes before the block are read too.
BLOCK_INLINE block block_utf8_faults(const uint8_t *bytes) {
  return (block){
    {utf8_faults(bytes), utf8_faults(bytes + 16), utf8_faults(bytes + 32),
     utf8_faults(bytes + 48)}};
}

/// Each bit of the result is the parity of the bits up to and including its own. The carry-less
/// product that would compute it at once is not part of the baseline.
BLOCK_INLINE uint64_t running_parity(uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}
