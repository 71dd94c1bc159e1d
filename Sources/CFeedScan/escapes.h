#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Included behind a block header, whose BLOCK_INLINE it needs.

/// One bit for each byte that a backslash before it escapes. `carry` says so of the first byte
/// and comes back with what the block says of the byte behind it.
///
/// In a run of backslashes the first escapes, and every other one. Adding to a run its own
/// first bit clears it; done to the runs that begin at an even place only, that tells them from
/// the others (the idea of telling runs apart by carries is Langdale and Lemire's, "Parsing
/// gigabytes of JSON per second", 2019).
BLOCK_INLINE uint64_t escaped_bytes(uint64_t backslashes, uint64_t *carry) {
  const uint64_t even = 0x5555555555555555;
  uint64_t runs = backslashes & ~*carry;
  uint64_t firsts = runs & ~(runs << 1);
  uint64_t kept = runs + (firsts & even);
  uint64_t escaping = runs & (kept ^ even);
  uint64_t escaped = escaping << 1 | *carry;
  // The run at the end decides, by its length. Only one that fills the block hands on what it
  // got; in every other case no block waits for the one before it.
  if (backslashes != ~(uint64_t)0) *carry = (uint64_t)__builtin_clzll(~backslashes) & 1;
  return escaped;
}

// Text either has a backslash in many blocks or hardly any. In the one case to branch on it is
// to predict wrongly all the time, in the other it saves the whole of the above. So a run of
// blocks is scanned in the way that the run before it asks for.
enum { BLOCKS_AT_ONCE = 64, ESCAPED_BLOCKS_OF_DENSE_RUN = 6 };

/// `escaped_bytes`, which counts the blocks with a backslash in `blocks`. `dense` is a constant.
BLOCK_INLINE uint64_t counted_escaped_bytes(
  uint64_t backslashes, uint64_t *carry, bool dense, size_t *blocks) {
  if (!dense && (backslashes | *carry) == 0) return 0;
  *blocks += backslashes != 0;
  return escaped_bytes(backslashes, carry);
}
