#include "replay.h"

#include <string.h>

// The walk in plain C, with which all kernels must agree.

#define BLOCK_INLINE static inline
#define BLOCK_OUTLINE static

BLOCK_INLINE bool glue_differs(const replay_step *step, const uint8_t *at) {
  return memcmp(step->head, at, step->length < GLUE_HEAD ? step->length : GLUE_HEAD) != 0;
}

#include "replay_walk.h"

feedscan_replay_result feedscan_replay_scalar(
  feedscan_program *program, feedscan_text text, const feedscan_range *records, size_t count,
  feedscan_tape *tape) {
  return replay_in_blocks(program, text, records, count, tape);
}
