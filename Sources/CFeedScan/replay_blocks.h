#pragma once

#include "replay.h"

// What the walk compares, in blocks of 64 bytes. Included after a block header.

BLOCK_INLINE bool glue_differs(const replay_step *step, const uint8_t *at) {
  return (~block_equal_bytes(block_load(at), block_load(step->head)) & step->mask) != 0;
}

/// How many bytes stand before the first quote, backslash or control character; 64 if there is
/// none in 64 bytes.
BLOCK_INLINE size_t first_special(const uint8_t *at) {
  block loaded = block_load(at);
  uint64_t specials =
    block_equal(loaded, '"') | block_equal(loaded, '\\') | block_in_range(loaded, 0, 0x1F);
  return specials ? (size_t)__builtin_ctzll(specials) : 64;
}

#include "replay_walk.h"
