#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The first 16 bytes of a key and the last 8, with zeros in place of bytes outside the key.
typedef struct {
  uint64_t first, second, last;
} feedscan_key_ends;

/// The ends of a key. 16 bytes from its first one on are read.
static inline feedscan_key_ends feedscan_key_ends_of(const uint8_t *key, size_t count) {
  // Masks are loaded instead of computed: the lengths of keys vary too much to predict branches.
  static const uint8_t ones_and_zeros[32] = {
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
  };
  const uint8_t *mask = ones_and_zeros + 16 - (count < 16 ? count : 16);
  uint64_t masks[2];
  memcpy(masks, mask, sizeof masks);
  feedscan_key_ends ends;
  memcpy(&ends.first, key, sizeof ends.first);
  memcpy(&ends.second, key + 8, sizeof ends.second);
  memcpy(&ends.last, key + (count < 8 ? 0 : count - 8), sizeof ends.last);
  ends.first &= masks[0];
  ends.second &= masks[1];
  ends.last &= masks[0];
  return ends;
}
