#include "kernels.h"

#if FEEDSCAN_HAS_NEON

#include "block_neon.h"

#include "replay_blocks.h"
#include "scan_blocks.h"
#include "skip_blocks.h"
#include "strip_blocks.h"

BLOCK_TARGET
feedscan_validate_result feedscan_validate_neon(const uint8_t *bytes, size_t count) {
  return validate_in_blocks(bytes, count);
}

BLOCK_TARGET
bool feedscan_is_utf8_neon(const uint8_t *bytes, size_t count) {
  return is_utf8_in_blocks(bytes, count);
}

BLOCK_TARGET
feedscan_split_result feedscan_split_neon(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count,
  uint32_t *marks, size_t capacity) {
  return split_in_blocks(splitter, bytes, from, count, marks, capacity);
}

BLOCK_TARGET
feedscan_lines_result feedscan_find_lines_neon(
  const uint8_t *bytes, size_t from, size_t count, uint32_t *marks, size_t capacity) {
  return find_lines_in_blocks(bytes, from, count, marks, capacity);
}

BLOCK_TARGET
feedscan_scan_result feedscan_scan_neon(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count, uint32_t *marks,
  size_t capacity, uint64_t *specials, size_t first_special, bool for_lines) {
  // The constant yields two specialized loops.
  return for_lines ? scan_in_blocks(
           splitter, bytes, from, count, marks, capacity, specials, first_special, true)
                   : scan_in_blocks(
           splitter, bytes, from, count, marks, capacity, specials, first_special, false);
}

BLOCK_TARGET
void feedscan_find_specials_neon(
  const uint8_t *bytes, size_t from, size_t to, uint64_t *specials, size_t first_special) {
  find_specials_in_blocks(bytes, from, to, specials, first_special);
}

BLOCK_TARGET
feedscan_replay_result feedscan_replay_neon(
  feedscan_program *program, feedscan_text text, const feedscan_range *records, size_t count,
  feedscan_tape *tape) {
  return replay_in_blocks(program, text, records, count, tape);
}

BLOCK_TARGET
size_t feedscan_strip_neon(const uint8_t *bytes, size_t count, uint8_t *output) {
  return strip_in_blocks(bytes, count, output);
}

BLOCK_TARGET
size_t feedscan_skip_neon(const uint8_t *bytes, size_t from, size_t count) {
  return skip_in_blocks(bytes, from, count);
}

#endif
