#pragma once

#include "feedreplay.h"
#include "kernels.h"

// The layout of a program's steps. Steps and states are in arrays that never move, so they can
// point to each other.

enum {
  /// Bytes of glue that are compared at once.
  GLUE_HEAD = 64,
  /// The maximum number of steps of one record. Each is recorded, so that its count can be undone
  /// if the record is not replayed.
  MAXIMUM_RECORD_STEPS = 65536,
  /// Longer records get no copy without white space.
  MAXIMUM_COPIED_BYTES = 65536,
};

typedef struct replay_step replay_step;

typedef struct {
  /// The steps from here, those found most recently first.
  replay_step *first;
  uint32_t count;
} replay_state;

struct replay_step {
  /// The first bytes of the glue, zeros after them.
  uint8_t head[GLUE_HEAD] __attribute__((aligned(GLUE_HEAD)));
  // What each use of the step reads, in one cache line.
  /// A bit for each byte of `head` that is compared.
  uint64_t mask;
  uint32_t length;
  uint8_t token, target;
  uint16_t slot;
  const feedscan_operation *operations;
  /// The first and the second guess for the next step; never null.
  replay_step *likely, *earlier;
  replay_state *next_state;
  uint64_t taken;
  uint16_t operation_count;
  uint16_t path;
  int16_t node;
  bool is_counted;
  /// Whether the glue has no white space outside strings.
  bool is_compact;
  // Rarely needed, except for the copies of documents.
  /// The glue after `head`, or null.
  const uint8_t *rest;
  replay_step *sibling;
  uint32_t misses;
  // The glue without white space outside strings: its length, its first bytes, and the rest.
  uint32_t compact_length;
  const uint8_t *compact_rest;
  uint8_t compact_head[GLUE_HEAD] __attribute__((aligned(GLUE_HEAD)));
};

typedef struct {
  const uint8_t *bytes;
  size_t length;
  int16_t node;
} replay_key;

struct feedscan_program {
  feedscan_program_options options;
  /// The step before a record's first, and one that never matches.
  replay_step start, never;
  replay_step *steps;
  uint32_t step_count;
  replay_state *states;
  uint32_t state_count;
  /// The memory of the glue after the heads, and of the operations.
  uint8_t *glue;
  size_t glue_count, glue_capacity;
  feedscan_operation *operations;
  size_t operation_count, operation_capacity;
  replay_key *keys;
  size_t key_count;
  /// The steps that the record in progress has taken.
  uint16_t *trace;
};

/// Eight bytes of the bitmap as a number whose lowest bit belongs to the first byte.
static inline uint64_t little_endian(uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return __builtin_bswap64(word);
#else
  return word;
#endif
}

/// True if a node selects this key.
bool replay_selects(
  const feedscan_program *program, int16_t node, const uint8_t *key, size_t length);

#define REPLAY_DECLARE_KERNEL(name)                                                       \
  feedscan_replay_result feedscan_replay_##name(                                          \
    feedscan_program *program, feedscan_text text, const feedscan_range *records,         \
    size_t count, feedscan_tape *tape);

REPLAY_DECLARE_KERNEL(scalar)
#if FEEDSCAN_HAS_X86
REPLAY_DECLARE_KERNEL(avx2)
REPLAY_DECLARE_KERNEL(avx512)
#endif
#if FEEDSCAN_HAS_NEON
REPLAY_DECLARE_KERNEL(neon)
#endif
