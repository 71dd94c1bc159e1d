#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// What a C program would make of a feed's records: one LMDB table, and only one, in
/// which each record lies under its key. Functions that return an `int` return 0 or what `feedpeer_message` explains.
typedef struct feedpeer feedpeer;

/// A record with its key, both in one buffer: first the key, then the record.
typedef struct {
  size_t start;
  uint32_t key_count;
  uint32_t record_count;
  /// Set by `feedpeer_build`: the peer holds the record.
  bool is_held;
} feedpeer_entry;

/// Makes an environment in an empty directory. Free it with `feedpeer_close`, whatever happened.
int feedpeer_open(const char *directory, size_t map_bytes, feedpeer **peer);

/// Stores the records in the order of their keys, which fills every page: the best that a reader
/// can hope for. Left out are keys over LMDB's 511 bytes and those that several records have.
int feedpeer_build(feedpeer *peer, const uint8_t *bytes, feedpeer_entry *entries, size_t count);

/// Looks keys up one after another and copies each record found out of the map.
///
/// `ends` says where each key ends in `keys`. With `renews` every look-up has a snapshot of its
/// own. Writes the bytes copied.
int feedpeer_look_up(
    feedpeer *peer, const uint8_t *keys, const uint32_t *ends, size_t count, bool renews,
    size_t *copied);

/// Goes through all records by a cursor, in one snapshot, and writes the sum of all their keys or
/// of all records.
int feedpeer_scan(feedpeer *peer, bool whole_records, uint64_t *sum);

void feedpeer_close(feedpeer *peer);

const char *feedpeer_message(int code);

/// Writes `count` bytes to a new file, in pieces of 1 MiB, and has them reach the disk.
/// Returns 0 or the error number.
int feedpeer_write_and_sync(const char *path, size_t count);

/// Which of two keys LMDB has first: below zero, zero or above, as `qsort` wants it.
static inline int feedpeer_compare(
    const uint8_t *left, uint32_t left_count, const uint8_t *right, uint32_t right_count) {
  int order = memcmp(left, right, left_count < right_count ? left_count : right_count);
  return order ? order : (left_count > right_count) - (left_count < right_count);
}

/// A sum to which every byte contributes, in words of eight as far as that goes.
static inline uint64_t feedpeer_sum(const void *bytes, size_t count) {
  const uint8_t *place = (const uint8_t *)bytes;
  uint64_t sum = 0, word;
  if (count < sizeof word) {
    for (size_t index = 0; index < count; index++) sum += place[index];
    return sum;
  }
  for (size_t index = 0; index + sizeof word < count; index += sizeof word) {
    memcpy(&word, place + index, sizeof word);
    sum += word;
  }
  // The last word may overlap the one before.
  memcpy(&word, place + count - sizeof word, sizeof word);
  return sum + word;
}
