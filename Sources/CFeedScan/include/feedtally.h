#pragma once

#include "feedreplay.h"
#include "feedspread.h"

// Counts of the values of documents, a tally for each path. One call counts the values of a record.
// Values that need more than a count are noted, and the caller looks at these.

/// The types that tallies distinguish.
enum {
  FEEDSCAN_TYPE_NULL,
  FEEDSCAN_TYPE_BOOLEAN,
  /// A number without fraction and exponent.
  FEEDSCAN_TYPE_INTEGER,
  FEEDSCAN_TYPE_NUMBER,
  FEEDSCAN_TYPE_STRING,
  FEEDSCAN_TYPE_ARRAY,
  FEEDSCAN_TYPE_OBJECT,
  FEEDSCAN_TYPES,
};

enum {
  /// Of a sampled path all texts up to this one are noted, and then one of `FEEDSCAN_SAMPLING`.
  FEEDSCAN_FIRST_SAMPLES = 1024,
  FEEDSCAN_SAMPLING = 16,
};

/// Why a value is noted: a bit for each reason.
enum {
  /// A number that is not counted: the caller counts it.
  FEEDSCAN_NOTE_UNCOUNTED = 1,
  /// A text of a path whose texts are all noted.
  FEEDSCAN_NOTE_TEXT = 2,
  /// A text among the samples of its path.
  FEEDSCAN_NOTE_SAMPLE = 4,
  /// A value of a path whose values are all noted.
  FEEDSCAN_NOTE_FIELD = 8,
  /// A value whose text a rule restricts.
  FEEDSCAN_NOTE_RULE = 16,
};

typedef struct {
  /// The index of the value.
  uint32_t value;
  uint32_t reasons;
} feedscan_note;

/// What is known about the values of one path.
typedef struct {
  /// The records that have the path.
  uint64_t records;
  /// The record counted last, from 1; 0 for none.
  uint64_t last_record;
  uint64_t counts[FEEDSCAN_TYPES];
  /// Of the booleans, those that are true.
  uint64_t trues;
  /// Bytes of the shortest and the longest string, if there is one.
  uint32_t shortest, longest;
  /// The reasons for which every string, or every value, of the path is noted.
  uint8_t string_reasons, value_reasons;
  /// Whether samples of its strings are noted.
  bool is_sampled;
  /// Bits of the kinds of values that a rule permits, and of those whose text it restricts.
  uint16_t permitted, restricted;
  /// The bit of a key that must not be repeated; 0 if it may.
  uint64_t key_bit;
  /// The record of the first value of each type.
  uint64_t first_records[FEEDSCAN_TYPES];
} feedscan_tally;

/// The state of counting one record.
typedef struct {
  /// The number of the record, from 0.
  uint64_t record;
  /// Values whose paths have numbers beyond the limit.
  uint64_t lost;
  /// The bits of the keys so far.
  uint64_t keys;
  /// Whether all values so far are permitted, and no key that must not be is repeated.
  bool is_permitted;
} feedscan_tally_state;

/// A tally without a value, and without a rule.
feedscan_tally feedscan_tally_make(void);

/// Counts a value of a type, which is below `FEEDSCAN_TYPES`.
void feedscan_tally_count(feedscan_tally *tally, uint32_t type, uint64_t record);

/// Counts the values of one record, up to the first of a path that has no tally yet. Returns the
/// index of that value, or `count`.
///
/// - `tallies`, `spreads`, `path_count`: by the numbers of the paths. `spreads` has their numbers, apart
///   from the tallies, of which more then fit in the cache.
/// - `path_limit`: values of paths from this number on are lost.
/// - `values`, `count`: the elements of the record on its tape.
/// - `from`: the index of the first value to be counted.
/// - `chunk`: the bytes to which the values refer.
/// - `notes`: space for a note of each of these values. `note_count` is increased by those written.
size_t feedscan_tally_values(
  feedscan_tally *tallies, feedscan_spread *spreads, size_t path_count, size_t path_limit,
  const feedscan_tape_entry *values, size_t from, size_t count, const uint8_t *chunk,
  feedscan_tally_state *state, feedscan_note *notes, size_t *note_count);
