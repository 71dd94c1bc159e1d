#include "replay.h"

#include <string.h>

// The walk in plain C, with which all kernels must agree.

#define BLOCK_INLINE static inline
#define BLOCK_OUTLINE static

BLOCK_INLINE bool glue_differs(const replay_step *step, const uint8_t *at) {
  return memcmp(step->head, at, step->length < GLUE_HEAD ? step->length : GLUE_HEAD) != 0;
}

BLOCK_INLINE size_t first_special(const uint8_t *at) {
  size_t plain = 0;
  while (plain < 64 && at[plain] != '"' && at[plain] != '\\' && at[plain] >= 0x20) plain++;
  return plain;
}

#include "replay_walk.h"

feedscan_replay_result feedscan_replay_scalar(
  feedscan_program *program, const uint8_t *chunk, const feedscan_range *records, size_t count,
  feedscan_tape *tape) {
  return replay_in_blocks(program, chunk, records, count, tape);
}
