#pragma once

#include <stdbool.h>
#include <stdint.h>

// Included after a block header, whose BLOCK_INLINE it needs.

BLOCK_INLINE uint64_t lowest(uint64_t bits) { return bits & -bits; }

/// True if the lowest bit of `one` precedes that of `other`; an empty mask is after every other.
BLOCK_INLINE bool precedes(uint64_t one, uint64_t other) {
  return lowest(one) - 1 < lowest(other) - 1;
}

/// Finds which brackets of a block at `depth` begin or end an element. `closes` is set if one
/// closes the container.
BLOCK_INLINE uint64_t level_marks(
  uint64_t opening, uint64_t closing, int64_t depth, bool *closes) {
  uint64_t marks = 0;
  if (depth == 0 && precedes(opening, closing)) marks = lowest(opening);
  // Only a closing bracket can end an element. Counting the brackets before it gives its depth.
  while (closing) {
    uint64_t bracket = lowest(closing);
    int64_t level = depth + __builtin_popcountll(opening & (bracket - 1));
    if (level == 0) {
      *closes = true;
      return marks;
    }
    closing ^= bracket;
    depth--;
    if (level == 1) {
      uint64_t behind = opening & -bracket;
      marks |= bracket;
      if (precedes(behind, closing)) marks |= lowest(behind);
    }
  }
  return marks;
}

#ifndef BLOCK_HAS_SHALLOW_MARKS

/// This kernel has no faster method.
BLOCK_INLINE bool shallow_marks(
  uint64_t opening, uint64_t closing, int64_t depth, uint64_t *marks) {
  (void)opening, (void)closing, (void)depth, (void)marks;
  return false;
}

#endif
