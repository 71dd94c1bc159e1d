#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// A feed's records as a C program would store them: one LMDB table that maps keys to records.
/// Functions that return an `int` return 0 or an error code for `feedpeer_message`.
typedef struct feedpeer feedpeer;

/// A record and its key in one buffer: first the key, then the record.
typedef struct {
  size_t start;
  uint32_t key_count;
  uint32_t record_count;
  /// Set by `feedpeer_build`: whether the peer has the record.
  bool is_stored;
} feedpeer_entry;

/// Creates an environment in an empty directory. Free it with `feedpeer_close`, even after a
/// failure.
int feedpeer_open(const char *directory, size_t map_bytes, feedpeer **peer);

/// Stores the records in key order, which fills every page: the best case for a reader. Skips keys
/// over LMDB's 511 bytes and keys of several records.
int feedpeer_build(feedpeer *peer, const uint8_t *bytes, feedpeer_entry *entries, size_t count);

/// Looks up keys one after another and copies each record found out of the map.
///
/// `ends` has the end of each key in `keys`. With `renews` every lookup has its own snapshot.
/// Writes the number of bytes copied.
int feedpeer_look_up(
    feedpeer *peer, const uint8_t *keys, const uint32_t *ends, size_t count, bool renews,
    size_t *copied);

/// Scans all records with a cursor, in one snapshot. Writes the sum of all their keys or of all
/// records.
int feedpeer_scan(feedpeer *peer, bool whole_records, uint64_t *sum);

void feedpeer_close(feedpeer *peer);

const char *feedpeer_message(int code);

/// Writes `count` bytes to a new file, in chunks of 1 MiB, and synchronises it. Returns 0 or the
/// error number.
int feedpeer_write_and_sync(const char *path, size_t count);

/// The order of two keys in LMDB: below zero, zero or above, as for `qsort`.
static inline int feedpeer_compare(
    const uint8_t *left, uint32_t left_count, const uint8_t *right, uint32_t right_count) {
  int order = memcmp(left, right, left_count < right_count ? left_count : right_count);
  return order ? order : (left_count > right_count) - (left_count < right_count);
}

/// A checksum over every byte, in units of eight bytes where possible.
static inline uint64_t feedpeer_sum(const void *bytes, size_t count) {
  const uint8_t *next = (const uint8_t *)bytes;
  uint64_t sum = 0, word;
  if (count < sizeof word) {
    for (size_t index = 0; index < count; index++) sum += next[index];
    return sum;
  }
  for (size_t index = 0; index + sizeof word < count; index += sizeof word) {
    memcpy(&word, next + index, sizeof word);
    sum += word;
  }
  // The last unit may overlap the one before.
  memcpy(&word, next + count - sizeof word, sizeof word);
  return sum + word;
}
