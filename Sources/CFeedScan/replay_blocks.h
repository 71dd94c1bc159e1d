#pragma once

#include "replay.h"

// The walk's comparisons in blocks of 64 bytes. Included after a block header.

BLOCK_INLINE bool glue_differs(const replay_step *step, const uint8_t *at) {
  return (~block_equal_bytes(block_load(at), block_load(step->head)) & step->mask) != 0;
}

#include "replay_walk.h"
