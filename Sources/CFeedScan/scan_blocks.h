#pragma once

#include "validate_blocks.h"
#include "split_blocks.h"

// One pass over blocks of 64 bytes: input validation, splitting, and the bitmap of special bytes.
//
// A run of blocks counts up to the last block boundary that cuts no character and no escape. The
// next run, or the separate passes, can start there without state. A run with a fault does not
// count at all: the separate passes find the byte.

/// One bit for each quote, backslash and control character.
BLOCK_INLINE uint64_t special_bytes(block loaded) {
  return block_equal(loaded, '"') | block_equal(loaded, '\\') | block_in_range(loaded, 0, 0x1F);
}

/// Writes the bits of special bytes block by block, starting at any bit.
typedef struct {
  uint64_t *words;
  unsigned shift;
  /// The bits of `*words` that precede the next block's.
  uint64_t begun;
} special_writer;

BLOCK_INLINE special_writer write_specials_at(uint64_t *words, size_t bit) {
  special_writer writer = {words + bit / 64, bit % 64, 0};
  // Lanes may read these bits at the same time, so they are rewritten unchanged.
  writer.begun = *writer.words & (((uint64_t)1 << writer.shift) - 1);
  return writer;
}

BLOCK_INLINE void write_special_bytes(special_writer *writer, uint64_t specials) {
  *writer->words++ = writer->begun | specials << writer->shift;
  writer->begun = specials >> 1 >> (63 - writer->shift);
}

/// The result of a run of blocks.
typedef struct {
  /// A bit for each block that ends inside a character or escape.
  uint64_t unfinished;
  size_t escapes, newlines, continuations;
} scan_found;

/// Scans a run of blocks that starts between two characters; false if it contains a fault.
/// `blocks` is at most 64; `for_lines` and `dense` are constants.
BLOCK_INLINE bool scan_run(
  const uint8_t *bytes, size_t blocks, bool for_lines, bool dense, feedscan_splitter *splitter,
  block_brackets *brackets, special_writer writer, scan_found *found) {
  block faults = {0};
  uint64_t bad = 0, due = 0;
  bool in_character = false;
  for (size_t i = 0; i < blocks; i++) {
    const uint8_t *here = bytes + 64 * i;
    // The bytes were written by another core, and processors do not prefetch across pages. An
    // address after the end is ignored.
    __builtin_prefetch(here + 1024);
    block loaded = block_load(here);
    uint64_t backslashes = block_equal(loaded, '\\');
    uint64_t every_quote = block_equal(loaded, '"');
    uint64_t feeds = block_equal(loaded, '\n');
    brackets[i].in_string = splitter->in_string;
    brackets[i].escaped = splitter->escaped;
    uint64_t escaped = counted_escaped_bytes(
      backslashes, &splitter->escaped, dense, &found->escapes);
    if (for_lines) {
      brackets[i].opening = feeds;
    } else {
      uint64_t strings = running_parity(every_quote & ~escaped) ^ splitter->in_string;
      splitter->in_string = (uint64_t)((int64_t)strings >> 63);
      uint64_t outside = ~(strings | escaped);
      block folded = block_fold(loaded);
      brackets[i].opening = block_equal(folded, '{') & outside;
      brackets[i].closing = block_equal(folded, '}') & outside;
    }
    write_special_bytes(&writer, every_quote | backslashes | block_in_range(loaded, 0, 0x1F));
    bad |= block_has_bad_control(loaded);
    uint64_t units = dense || escaped ? escaped & block_equal(loaded, 'u') : 0;
    if (units | due) bad |= has_lone_half(here, units, &due);
    found->newlines += (size_t)__builtin_popcountll(feeds);
    if (block_high_bits(loaded) | in_character) {
      faults = block_or(faults, block_utf8_faults(here));
      in_character = stands_in_character(here + 64);
      found->continuations += (size_t)__builtin_popcountll(block_continuations(loaded));
    }
    found->unfinished |= (uint64_t)((splitter->escaped | due | in_character) != 0) << i;
  }
  *writer.words = writer.begun;
  return bad == 0 && !block_any(faults);
}

/// How many of `blocks` blocks can be kept, so that nothing is unfinished after them.
BLOCK_INLINE size_t finished_blocks(uint64_t unfinished, size_t blocks) {
  while (blocks > 0 && (unfinished >> (blocks - 1) & 1) != 0) blocks--;
  return blocks;
}

/// Marks line feeds; returns how many blocks were marked.
BLOCK_INLINE size_t mark_lines(
  const block_brackets *feeds, size_t blocks, uint32_t *marks, size_t capacity,
  feedscan_split_result *result) {
  for (size_t i = 0; i < blocks; i++) {
    if (capacity - result->marks < 64) return i;
    result->marks += write_marks(
      feeds[i].opening, result->stopped + 64 * i, marks + result->marks);
  }
  return blocks;
}

BLOCK_INLINE feedscan_scan_result scan_in_blocks(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count, uint32_t *marks,
  size_t capacity, uint64_t *specials, size_t first_special, bool for_lines) {
  feedscan_scan_result result = {from, 0, 0, 0};
  block_brackets brackets[BLOCKS_AT_ONCE];
  bool dense = false, is_last = false;
  // The digits of an escape at the end of a block extend four bytes beyond it.
  while (count - result.stopped >= 64 + 4 && !is_last) {
    const uint8_t *here = bytes + result.stopped;
    size_t blocks = (count - result.stopped - 4) / 64;
    if (blocks > BLOCKS_AT_ONCE) blocks = BLOCKS_AT_ONCE;
    feedscan_splitter state = *splitter;
    special_writer writer = write_specials_at(specials, first_special + result.stopped);
    scan_found found = {0, 0, 0, 0};
    bool is_clean =
      dense ? scan_run(here, blocks, for_lines, true, &state, brackets, writer, &found)
            : scan_run(here, blocks, for_lines, false, &state, brackets, writer, &found);
    if (!is_clean) break;
    dense = found.escapes >= ESCAPED_BLOCKS_OF_DENSE_RUN;
    size_t kept = finished_blocks(found.unfinished, blocks);
    feedscan_split_result split = {result.stopped, result.marks, false};
    size_t marked = for_lines ? mark_lines(brackets, kept, marks, capacity, &split)
                              : mark_blocks(brackets, kept, &state.depth, marks, capacity, &split);
    if (marked < kept) {
      // The container closes, or the marks are full.
      is_last = true;
      kept = finished_blocks(found.unfinished, marked);
      size_t end = result.stopped + 64 * kept;
      while (split.marks > result.marks && marks[split.marks - 1] >= end) split.marks--;
      state.depth = splitter->depth;
      for (size_t i = 0; i < kept && !for_lines; i++) {
        state.depth += __builtin_popcountll(brackets[i].opening)
                     - __builtin_popcountll(brackets[i].closing);
      }
    }
    if (kept == 0) break;
    if (kept < blocks) {
      state.in_string = brackets[kept].in_string;
      state.escaped = brackets[kept].escaped;
    }
    for (size_t i = kept; i < blocks; i++) {
      block dropped = block_load(here + 64 * i);
      found.newlines -= (size_t)__builtin_popcountll(block_equal(dropped, '\n'));
      found.continuations -= (size_t)__builtin_popcountll(block_continuations(dropped));
    }
    *splitter = state;
    result.stopped += 64 * kept;
    result.marks = split.marks;
    result.newlines += found.newlines;
    result.continuations += found.continuations;
  }
  return result;
}

BLOCK_INLINE void find_specials_in_blocks(
  const uint8_t *bytes, size_t from, size_t to, uint64_t *specials, size_t first_special) {
  if (to - from >= 64) {
    special_writer writer = write_specials_at(specials, first_special + from);
    for (; to - from >= 64; from += 64) {
      write_special_bytes(&writer, special_bytes(block_load(bytes + from)));
    }
    *writer.words = writer.begun;
  }
  feedscan_find_specials_scalar(bytes, from, to, specials, first_special);
}
