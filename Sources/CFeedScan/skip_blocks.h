#pragma once

#include "escapes.h"

// Included after a block header.

/// The offset after the bracket that closes the one at `from`; `count + 1` if none does.
BLOCK_INLINE size_t skip_in_blocks(const uint8_t *bytes, size_t from, size_t count) {
  uint64_t in_string = 0, carry = 0;
  size_t depth = 0;
  for (size_t at = from; at < count; at += 64) {
    uint8_t rest[64] = {0};
    size_t left = count - at;
    if (left < 64) __builtin_memcpy(rest, bytes + at, left);
    block loaded = block_load(left < 64 ? rest : bytes + at);
    uint64_t backslashes = block_equal(loaded, '\\');
    uint64_t escaped = (backslashes | carry) == 0 ? 0 : escaped_bytes(backslashes, &carry);
    uint64_t strings = running_parity(block_equal(loaded, '"') & ~escaped) ^ in_string;
    in_string = (uint64_t)((int64_t)strings >> 63);
    // [ and { differ in one bit, and so do ] and }.
    block folded = block_fold(loaded);
    uint64_t opens = block_equal(folded, '{') & ~strings;
    uint64_t closes = block_equal(folded, '}') & ~strings;
    size_t closed = (size_t)__builtin_popcountll(closes);
    if (closed < depth) {
      depth += (size_t)__builtin_popcountll(opens) - closed;
      continue;
    }
    while (closes != 0) {
      uint64_t before = closes ^ (closes - 1);
      depth += (size_t)__builtin_popcountll(opens & before) - 1;
      if (depth == 0) return at + (size_t)__builtin_ctzll(closes) + 1;
      opens &= ~before;
      closes &= closes - 1;
    }
    depth += (size_t)__builtin_popcountll(opens);
  }
  return count + 1;
}
