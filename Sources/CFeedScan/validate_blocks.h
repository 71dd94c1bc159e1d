#pragma once

#include "escapes.h"
#include "kernels.h"
#include "utf8_blocks.h"

// Input validation in blocks of 64 bytes, for the kernel whose block header was included before.
// These functions only find the block of a fault: the scalar twin finds the byte.

/// The state between two blocks.
typedef struct {
  /// One if the first byte is escaped.
  uint64_t escaped;
  /// A bit at the `u` of the low half that must follow a high half in the previous block.
  uint64_t due;
  /// True if the first byte continues a character.
  bool in_character;
} validation_state;

BLOCK_INLINE uint64_t hex_digits(block bytes) {
  return block_in_range(bytes, '0', '9') | block_in_range(block_fold(bytes), 'a', 'f');
}

/// True if the escapes whose `u` is in `units` contain half of a surrogate pair without the other.
BLOCK_INLINE bool has_lone_half(const uint8_t *bytes, uint64_t units, uint64_t *due) {
  // The properties of an escape's digits are collected at the bit of its `u`.
  uint64_t halves = units & block_equal(block_fold(block_load(bytes + 1)), 'd');
  if ((halves | *due) == 0) return false;
  block second = block_load(bytes + 2);
  halves &= hex_digits(block_load(bytes + 3)) & hex_digits(block_load(bytes + 4));
  uint64_t high = halves
                & (block_in_range(second, '8', '9') | block_in_range(block_fold(second), 'a', 'b'));
  uint64_t low = halves & block_in_range(block_fold(second), 'c', 'f');
  uint64_t expected = high << 6 | *due;
  *due = high >> 58;
  return expected != low;
}

/// One bit for the `u` of each escape that has one.
BLOCK_INLINE uint64_t escape_units(
  block loaded, validation_state *state, bool dense, size_t *escapes) {
  uint64_t escaped = counted_escaped_bytes(
    block_equal(loaded, '\\'), &state->escaped, dense, escapes);
  return dense || escaped ? escaped & block_equal(loaded, 'u') : 0;
}

/// Validates blocks from `at` to `end`, up to the first with a fault, and returns its offset.
/// Counts the blocks with a backslash in `escapes`.
BLOCK_INLINE size_t validate_run(
  const uint8_t *bytes, size_t at, size_t end, bool dense, size_t *escapes,
  validation_state *before, feedscan_validate_result *result) {
  for (; at < end; at += 64) {
    const uint8_t *here = bytes + at;
    block loaded = block_load(here);
    validation_state state = *before;
    bool faulty = block_has_bad_control(loaded);
    uint64_t units = escape_units(loaded, &state, dense, escapes);
    if (units | state.due) faulty |= has_lone_half(here, units, &state.due);
    uint64_t continuations = 0;
    if (block_high_bits(loaded) | state.in_character) {
      faulty |= block_any(block_utf8_faults(here));
      state.in_character = stands_in_character(here + 64);
      continuations = block_continuations(loaded);
    }
    if (faulty) break;
    *before = state;
    result->newlines += (size_t)__builtin_popcountll(block_equal(loaded, '\n'));
    result->continuations += (size_t)__builtin_popcountll(continuations);
  }
  return at;
}

/// Validates the blocks of `bytes[at ..< count]` up to the first with a fault, and returns its
/// offset. `at` is between two characters, at least three bytes after the start.
BLOCK_INLINE size_t validate_utf8_blocks(
  const uint8_t *bytes, size_t at, size_t count, validation_state *state,
  feedscan_validate_result *result) {
  bool dense = false;
  // The digits of an escape at the end of a block extend four bytes beyond it.
  while (count - at >= 64 + 4) {
    size_t blocks = (count - at - 4) / 64;
    size_t end = at + 64 * (blocks < BLOCKS_AT_ONCE ? blocks : BLOCKS_AT_ONCE);
    size_t escapes = 0;
    at = dense ? validate_run(bytes, at, end, true, &escapes, state, result)
               : validate_run(bytes, at, end, false, &escapes, state, result);
    if (at < end) break;
    dense = escapes >= ESCAPED_BLOCKS_OF_DENSE_RUN;
  }
  return at;
}

/// How many bytes before a block the unfinished character, escape or surrogate pair starts.
BLOCK_INLINE size_t begun_before(const uint8_t *bytes, validation_state state) {
  // From the backslash of a high half to the `u` of a low one.
  if (state.due) return 7 - (size_t)__builtin_ctzll(state.due);
  if (state.escaped) return 1;
  if (!state.in_character) return 0;
  size_t back = 1;
  while (bytes[-(ptrdiff_t)back] < 0xC0) back++;
  return back;
}

BLOCK_INLINE feedscan_validate_result validate_in_blocks(const uint8_t *bytes, size_t count) {
  // Blocks read the three bytes before them.
  feedscan_validate_result result =
    feedscan_validate_scalar(bytes, 0, count < 3 ? count : 3, count);
  if (result.verdict != FEEDSCAN_CLEAN) return result;
  validation_state state = {0, 0, false};
  size_t at = validate_utf8_blocks(bytes, result.clean, count, &state, &result);
  size_t start = at - begun_before(bytes + at, state);
  feedscan_validate_result rest = feedscan_validate_scalar(bytes, start, count, count);
  // The bytes from `start` on were counted by the blocks, too.
  for (; start < at; start++) {
    rest.newlines -= bytes[start] == '\n';
    rest.continuations -= (bytes[start] & 0xC0) == 0x80;
  }
  rest.newlines += result.newlines;
  rest.continuations += result.continuations;
  return rest;
}
