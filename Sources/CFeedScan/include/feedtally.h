#pragma once

#include "feedreplay.h"
#include "feedspread.h"

// Counts of the values of documents, with a tally for each path. One call counts the values of many
// records. Values that need more than a count are noted, and the caller processes the notes.

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
  /// The texts of a sampled path are all noted up to this number, and then one in every
  /// `FEEDSCAN_SAMPLING`.
  FEEDSCAN_FIRST_SAMPLES = 1024,
  FEEDSCAN_SAMPLING = 16,
};

/// Why a value is noted: a bit for each reason.
enum {
  /// A number that was not added to its path's spread. The caller reads and adds it.
  FEEDSCAN_NOTE_NUMBER = 1,
  /// A text of a path whose texts are all noted.
  FEEDSCAN_NOTE_TEXT = 2,
  /// A text among the samples of its path.
  FEEDSCAN_NOTE_SAMPLE = 4,
  /// A value whose text a rule restricts.
  FEEDSCAN_NOTE_RULE = 8,
};

typedef struct {
  /// The index of the value among the elements of the tape, or of the part of a record.
  uint32_t element;
  uint32_t reasons;
} feedscan_note;

/// The statistics of the values of one path.
typedef struct {
  /// The records that have the path.
  uint64_t records;
  /// The record counted last, from 1; 0 for none.
  uint64_t last_record;
  uint64_t counts[FEEDSCAN_TYPES];
  /// The number of booleans that are true.
  uint64_t trues;
  /// Bytes of the shortest and the longest string, if there is one.
  uint32_t shortest, longest;
  /// The reasons for which every string of the path is noted.
  uint8_t string_reasons;
  /// Whether samples of its strings are noted.
  bool is_sampled;
  /// The index of the path's field among the fields; 0 if there is none.
  uint16_t field;
  /// Bits of the kinds of values that a rule permits, and of those whose text it restricts.
  uint16_t permitted, restricted;
  /// The bit of a key that must not be repeated; 0 if it may.
  uint64_t key_bit;
  /// The record of the first value of each type.
  uint64_t first_records[FEEDSCAN_TYPES];
  /// The place of the path among those that have a value, from 1, by their first values.
  uint32_t order;
} feedscan_tally;

/// The tallies of paths, by their numbers.
typedef struct {
  feedscan_tally *tallies;
  /// The numbers of each path. They are separate from the tallies, so that more tallies fit in the
  /// cache.
  feedscan_spread *spreads;
  size_t path_count;
  /// Values of paths from this number on are lost.
  size_t path_limit;
} feedscan_tallies;

/// The records of a tape.
typedef struct {
  /// A row for each record. Its first slot is the list of values. Its last slot has the kind of a
  /// record that is not an object.
  const feedscan_tape_entry *rows;
  size_t slots;
  const feedscan_tape_entry *elements;
  /// The bytes to which the values refer.
  const uint8_t *chunk;
} feedscan_tally_tape;

/// The output of counting other than the tallies.
typedef struct {
  /// For each record of the call, the indices plus 1 of the fields' values in the record's list.
  /// The index 0 receives the values of paths without a field.
  uint32_t *fields;
  size_t field_count;
  feedscan_note *notes;
  size_t note_count, note_capacity;
} feedscan_tally_output;

/// The state of counting the records of a tape.
typedef struct {
  /// The number of the tape's first record among all, from 0.
  uint64_t first_number;
  /// The next record of the tape, and the next of its values.
  size_t record, value;
  /// Whether counting that record has begun.
  bool has_begun;
  /// Values whose paths have numbers beyond the limit.
  uint64_t lost;
  /// The number of paths that have a value.
  uint32_t paths;
  /// The path without a tally at which counting has stopped.
  uint32_t missing_path;
  /// Whether a tally has a rule.
  bool has_rules;
  /// The keys that a record must have.
  uint64_t required;
  /// The keys of the record so far.
  uint64_t keys;
  /// Whether its values are permitted, and no key is repeated that must not be.
  bool is_permitted;
  /// Whether all records have been permitted and have had the required keys.
  bool conforms;
  /// Whether the first value of a repeated field counts, and not the last.
  bool keeps_first;
} feedscan_tally_state;

/// Why counting has stopped.
typedef enum {
  /// All records have been counted.
  FEEDSCAN_TALLY_END,
  /// The next value is of a path that has no tally yet.
  FEEDSCAN_TALLY_NEW_PATH,
  /// More values are left than fit in the notes.
  FEEDSCAN_TALLY_NOTES,
  /// All values of the next record that the tape has are counted, but it has more.
  FEEDSCAN_TALLY_CUT,
} feedscan_tally_stop;

/// A tally without a value, and without a rule.
feedscan_tally feedscan_tally_make(void);

/// Counts the values of records, from the next of the state up to `end`. The fields are those of the
/// records from `first` on.
feedscan_tally_stop feedscan_tally_records(
  const feedscan_tallies *tables, const feedscan_tally_tape *tape, size_t first, size_t end,
  feedscan_tally_state *state, feedscan_tally_output *output);

/// Counts those values of the state's record that are not on its tape.
///
/// - `values`, `count`: a part of the record's values. The state has the next of these, 0 at first.
/// - `before`: the number of values before the part.
/// - `output`: its fields are those of the record.
feedscan_tally_stop feedscan_tally_part(
  const feedscan_tallies *tables, const uint8_t *chunk, const feedscan_tape_entry *values,
  size_t count, size_t before, feedscan_tally_state *state, feedscan_tally_output *output);

/// Ends a record all of whose values have been counted.
void feedscan_tally_end(feedscan_tally_state *state);
