#pragma once

#include "escapes.h"
#include "kernels.h"

// The splitter in blocks of 64 bytes, for the kernel whose block header was included before.
// Its marks become records in RecordReader+Array.swift and RecordReader+Lines.swift.

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

/// The index of the lowest bit, or some index if there is none.
BLOCK_INLINE uint32_t lowest_place(uint64_t bits) {
  return (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63);
}

/// Writes the offsets of a block's marks; returns their count. There must be space for 64.
BLOCK_INLINE size_t write_marks(uint64_t found, size_t base, uint32_t *marks) {
  size_t count = (size_t)__builtin_popcountll(found);
  // The end of an element is followed by the start of the next: two marks are always written, even
  // if there are fewer.
  for (size_t i = 0;; i += 2) {
    marks[i] = (uint32_t)base + lowest_place(found);
    found &= found - 1;
    marks[i + 1] = (uint32_t)base + lowest_place(found);
    found &= found - 1;
    if (found == 0) return count;
  }
}

/// The brackets of a block, and the splitter's state before it.
typedef struct {
  uint64_t opening, closing;
  uint64_t in_string, escaped;
} block_brackets;

/// Finds the brackets outside strings, and advances `state` past the block.
BLOCK_INLINE block_brackets find_brackets(
  const uint8_t *bytes, feedscan_splitter *state, bool dense, size_t *escapes) {
  block_brackets found = {0, 0, state->in_string, state->escaped};
  block loaded = block_load(bytes);
  uint64_t escaped = counted_escaped_bytes(
    block_equal(loaded, '\\'), &state->escaped, dense, escapes);
  uint64_t quotes = block_equal(loaded, '"') & ~escaped;
  uint64_t strings = running_parity(quotes) ^ state->in_string;
  state->in_string = (uint64_t)((int64_t)strings >> 63);
  // YAJL rejects an escaped bracket outside a string; here it only has to be treated as in the
  // scalar twin.
  uint64_t outside = ~(strings | escaped);
  block folded = block_fold(loaded);
  found.opening = block_equal(folded, '{') & outside;
  found.closing = block_equal(folded, '}') & outside;
  return found;
}

/// Finds the brackets of `blocks` blocks; returns how many of them have a backslash.
///
/// Marking is a separate step. It branches on the brackets, and a mispredicted branch is expensive
/// right after this long dependency chain.
BLOCK_INLINE size_t find_run(
  const uint8_t *bytes, size_t blocks, feedscan_splitter *state, bool dense,
  block_brackets *found) {
  size_t escapes = 0;
  for (size_t i = 0; i < blocks; i++) {
    found[i] = find_brackets(bytes + 64 * i, state, dense, &escapes);
  }
  return escapes;
}

/// Marks the elements of `blocks` blocks. Stops before a block that closes the container, or for
/// which fewer than 64 marks are free. Returns how many blocks were marked.
BLOCK_INLINE size_t mark_blocks(
  const block_brackets *found, size_t blocks, int64_t *depth,
  uint32_t *marks, size_t capacity, feedscan_split_result *result) {
  // Most blocks are too deep to reach the container's own level. The others are collected first,
  // without a branch: a branch in this loop would be mispredicted at every record.
  struct { int64_t depth; size_t block; } shallow[BLOCKS_AT_ONCE];
  size_t count = 0;
  int64_t level = *depth;
  for (size_t i = 0; i < blocks; i++) {
    int64_t closings = __builtin_popcountll(found[i].closing);
    shallow[count].depth = level;
    shallow[count].block = i;
    count += level <= closings;
    level += __builtin_popcountll(found[i].opening) - closings;
  }
  for (size_t i = 0; i < count; i++) {
    size_t block = shallow[i].block;
    uint64_t opening = found[block].opening, closing = found[block].closing, here = 0;
    bool closes = false;
    if (!shallow_marks(opening, closing, shallow[i].depth, &here)) {
      here = level_marks(opening, closing, shallow[i].depth, &closes);
    }
    if (closes || capacity - result->marks < 64) {
      *depth = shallow[i].depth;
      result->stopped += 64 * block;
      return block;
    }
    result->marks += write_marks(here, result->stopped + 64 * block, marks + result->marks);
  }
  *depth = level;
  result->stopped += 64 * blocks;
  return blocks;
}

/// Splits the blocks of `bytes[from ..< count]`. Stops before a block that the scalar twin handles.
BLOCK_INLINE feedscan_split_result split_blocks(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count,
  uint32_t *marks, size_t capacity) {
  feedscan_split_result result = {from, 0, false};
  block_brackets found[BLOCKS_AT_ONCE];
  feedscan_splitter state = *splitter;
  size_t blocks, marked, escapes = 0;
  do {
    blocks = (count - result.stopped) / 64;
    if (blocks > BLOCKS_AT_ONCE) blocks = BLOCKS_AT_ONCE;
    const uint8_t *here = bytes + result.stopped;
    escapes = escapes >= ESCAPED_BLOCKS_OF_DENSE_RUN
                ? find_run(here, blocks, &state, true, found)
                : find_run(here, blocks, &state, false, found);
    marked = mark_blocks(found, blocks, &state.depth, marks, capacity, &result);
  } while (marked == blocks && blocks > 0);
  if (marked < blocks) {
    state.in_string = found[marked].in_string;
    state.escaped = found[marked].escaped;
  }
  *splitter = state;
  return result;
}

BLOCK_INLINE feedscan_split_result split_in_blocks(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count,
  uint32_t *marks, size_t capacity) {
  feedscan_split_result result = {from, 0, false};
  while (result.marks < capacity) {
    feedscan_split_result blocks = split_blocks(
      splitter, bytes, result.stopped, count, marks + result.marks, capacity - result.marks);
    result.marks += blocks.marks;
    size_t end = count - blocks.stopped < 64 ? count : blocks.stopped + 64;
    feedscan_split_result rest = feedscan_split_scalar(
      splitter, bytes, blocks.stopped, end, marks + result.marks, capacity - result.marks);
    rest.marks += result.marks;
    result = rest;
    if (result.closed || result.stopped == count) break;
  }
  return result;
}

BLOCK_INLINE feedscan_lines_result find_lines_in_blocks(
  const uint8_t *bytes, size_t from, size_t count, uint32_t *marks, size_t capacity) {
  feedscan_lines_result found = {from, 0};
  while (count - found.stopped >= 64 && capacity - found.marks >= 64) {
    // Written even if there are none: a branch on that would be unpredictable.
    uint64_t feeds = block_equal(block_load(bytes + found.stopped), '\n');
    found.marks += write_marks(feeds, found.stopped, marks + found.marks);
    found.stopped += 64;
  }
  return feedscan_find_lines_scalar(bytes, found, count, marks, capacity);
}
