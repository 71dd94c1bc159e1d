#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Included after a block header, whose BLOCK_INLINE it needs.

/// One bit for each byte that the backslash before it escapes. `carry` is one if the first byte is
/// escaped; it is set to one if the byte after the block is.
///
/// In a run of backslashes, the first and every second one after it escape. Adding a run's first
/// bit to the run clears it. Done only for runs that start at an even bit, this separates them
/// from the others (the idea is Langdale and Lemire's, "Parsing gigabytes of JSON per second",
/// 2019).
BLOCK_INLINE uint64_t escaped_bytes(uint64_t backslashes, uint64_t *carry) {
  const uint64_t even = 0x5555555555555555;
  uint64_t runs = backslashes & ~*carry;
  uint64_t firsts = runs & ~(runs << 1);
  uint64_t kept = runs + (firsts & even);
  uint64_t escaping = runs & (kept ^ even);
  uint64_t escaped = escaping << 1 | *carry;
  // The length of the run at the end decides. Only a run that fills the block passes the carry
  // on; in all other cases the new carry does not depend on the previous block.
  if (backslashes != ~(uint64_t)0) *carry = (uint64_t)__builtin_clzll(~backslashes) & 1;
  return escaped;
}

// Text has a backslash in many blocks, or in hardly any. In the first case a branch on it is often
// mispredicted; in the second it saves all of the work above. So the blocks with a backslash in
// one run decide how the next run is scanned.
enum { BLOCKS_AT_ONCE = 64, ESCAPED_BLOCKS_OF_DENSE_RUN = 6 };

/// `escaped_bytes` that also counts the blocks with a backslash in `blocks`. `dense` is a constant.
BLOCK_INLINE uint64_t counted_escaped_bytes(
  uint64_t backslashes, uint64_t *carry, bool dense, size_t *blocks) {
  if (!dense && (backslashes | *carry) == 0) return 0;
  *blocks += backslashes != 0;
  return escaped_bytes(backslashes, carry);
}
