#include "kernels.h"
#include <string.h>

static uint8_t folded(uint8_t c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; }

static bool is_letter(uint8_t c) { return folded(c) >= 'a' && folded(c) <= 'z'; }

static bool is_equal(const uint8_t *bytes, const uint8_t *needle, size_t length, bool folds) {
  if (!folds) return memcmp(bytes, needle, length) == 0;
  for (size_t i = 0; i < length; i++) {
    if (folded(bytes[i]) != folded(needle[i])) return false;
  }
  return true;
}

static feedscan_block load(const uint8_t *bytes) {
  feedscan_block block;
  memcpy(&block, bytes, sizeof block);
  return block;
}

static feedscan_block all(uint8_t byte) { return (feedscan_block){0} + byte; }

// Blocks of sixteen places are skipped at once where no place has both the first and the last byte
// of the needle.
size_t feedscan_find(
  const uint8_t *bytes, size_t count, const uint8_t *needle, size_t length, bool folds) {
  if (length == 0) return 0;
  if (length > count) return count;
  size_t places = count - length + 1, at = 0;
  uint8_t first_bit = folds && is_letter(needle[0]) ? 0x20 : 0;
  uint8_t last_bit = folds && is_letter(needle[length - 1]) ? 0x20 : 0;
  feedscan_block first_bits = all(first_bit), last_bits = all(last_bit);
  feedscan_block first = all(needle[0] | first_bit), last = all(needle[length - 1] | last_bit);
  for (; at + 16 <= places; at += 16) {
    feedscan_block found = (feedscan_block)((load(bytes + at) | first_bits) == first)
      & (feedscan_block)((load(bytes + at + length - 1) | last_bits) == last);
    uint64_t halves[2];
    memcpy(halves, &found, sizeof halves);
    if ((halves[0] | halves[1]) == 0) continue;
    for (size_t i = 0; i < 16; i++) {
      if (found[i] && is_equal(bytes + at + i, needle, length, folds)) return at + i;
    }
  }
  for (; at < places; at++) {
    if (is_equal(bytes + at, needle, length, folds)) return at;
  }
  return count;
}
