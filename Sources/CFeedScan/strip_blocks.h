#pragma once

#include "escapes.h"

// Included after a block header.

/// Copies text without its white space outside strings. The last block may be incomplete: the bytes
/// after the text are read, and not copied.
BLOCK_INLINE size_t strip_in_blocks(const uint8_t *bytes, size_t count, uint8_t *output) {
  uint8_t *out = output;
  uint64_t in_string = 0, carry = 0;
  for (size_t at = 0; at < count; at += 64) {
    const uint8_t *here = bytes + at;
    block loaded = block_load(here);
    uint64_t backslashes = block_equal(loaded, '\\');
    uint64_t escaped = (backslashes | carry) == 0 ? 0 : escaped_bytes(backslashes, &carry);
    uint64_t strings = running_parity(block_equal(loaded, '"') & ~escaped) ^ in_string;
    in_string = (uint64_t)((int64_t)strings >> 63);
    // Outside strings, only white space is below this.
    uint64_t kept = ~(block_in_range(loaded, 0, ' ') & ~strings);
    size_t left = count - at;
    if (left < 64) kept &= ((uint64_t)1 << left) - 1;
    if (kept == ~(uint64_t)0) {
      __builtin_memcpy(out, here, 64);
      out += 64;
      continue;
    }
    while (kept != 0) {
      // White space comes in runs, so the text between two runs is copied as a whole. The bytes
      // after it are overwritten.
      unsigned start = (unsigned)__builtin_ctzll(kept);
      unsigned run = (unsigned)__builtin_ctzll(~(kept >> start));
      __builtin_memcpy(out, here + start, 64);
      out += run;
      if (start + run >= 64) break;
      kept &= ~(uint64_t)0 << (start + run);
    }
  }
  return (size_t)(out - output);
}
