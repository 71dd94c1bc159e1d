#pragma once

#include <stddef.h>
#include <string.h>

// Strict UTF-8 (RFC 3629) in blocks of 64 bytes, for the kernel whose block header was included
// before. The tables of utf8_faults.h show which pairs of bytes are malformed. These functions only
// detect a fault: the scalar twin in validate_scalar.c finds the byte. Input of the parser is
// validated together with its escapes in validate_blocks.h.

/// True if the bytes before `bytes` end inside a character. Reads three bytes before `bytes`.
BLOCK_INLINE bool stands_in_character(const uint8_t *bytes) {
  return (bytes[-1] >= 0xC0) | (bytes[-2] >= 0xE0) | (bytes[-3] >= 0xF0);
}

/// True if no character is malformed that ends, or should end, in the `count` bytes. `count` is a
/// multiple of 64. The three bytes before them are read too.
BLOCK_INLINE bool utf8_in_blocks(const uint8_t *bytes, size_t count) {
  // Faults are collected and checked once: a branch for each block would cost more.
  block faults = block_utf8_faults(bytes);
  bool in_character = stands_in_character(bytes + 64);
  for (size_t at = 64; at < count; at += 64) {
    const uint8_t *here = bytes + at;
    if ((block_high_bits(block_load(here)) | in_character) == 0) continue;
    faults = block_or(faults, block_utf8_faults(here));
    in_character = stands_in_character(here + 64);
  }
  return !block_any(faults);
}

/// True if all of `bytes` is UTF-8, including its end.
BLOCK_INLINE bool is_utf8_in_blocks(const uint8_t *bytes, size_t count) {
  // Both ends are validated in a copy, with zeros before the start and after the end.
  uint8_t edge[64 + 128] = {0};
  size_t head = count < 64 ? count : 64;
  memcpy(edge + 64, bytes, head);
  if (!utf8_in_blocks(edge + 64, count < 64 ? 128 : 64)) return false;
  if (count < 64) return true;
  size_t whole = count & ~(size_t)63;
  if (whole > 64 && !utf8_in_blocks(bytes + 64, whole - 64)) return false;
  memset(edge, 0, sizeof edge);
  memcpy(edge + 61, bytes + whole - 3, 3 + count - whole);
  return utf8_in_blocks(edge + 64, 128);
}
