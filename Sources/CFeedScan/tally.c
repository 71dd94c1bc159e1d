#include "feedtally.h"

#include <string.h>

// Safety: the values are elements of a tape or read from its chunk, so their text is in the chunk. The
// list of a row lies within the elements. A path that is below `path_count` has a tally. The caller has
// fields for each record, as many as a tally refers to.

feedscan_tally feedscan_tally_make(void) {
  return (feedscan_tally){
    .shortest = UINT32_MAX,
    .is_sampled = true,
    .string_reasons = FEEDSCAN_NOTE_TEXT,
    .permitted = UINT16_MAX,
  };
}

static inline void count_value(
  feedscan_tally *tally, uint32_t type, uint64_t record, feedscan_tally_state *state) {
  tally->records += tally->last_record != record + 1;
  tally->last_record = record + 1;
  if (__builtin_expect(tally->counts[type]++ == 0, 0)) {
    tally->first_records[type] = record;
    if (tally->order == 0) tally->order = ++state->paths;
  }
}

/// Reads one to eight decimal digits; UINT64_MAX if a byte is none. Readable bytes follow the chunk.
static inline uint64_t read_digits(const uint8_t *digits, uint32_t length) {
  uint64_t word;
  memcpy(&word, digits, sizeof word);
  // Zeros in front, where a little-endian word has its lowest bytes.
  word = (word ^ 0x3030303030303030) << (64 - 8 * length);
  if ((word | (word + 0x7676767676767676)) & 0x8080808080808080) return UINT64_MAX;
  // Two, four and then eight digits.
  word = (word * (10 * 0x100 + 1)) >> 8 & 0x00FF00FF00FF00FF;
  word = (word * (100 * 0x10000 + 1)) >> 16 & 0x0000FFFF0000FFFF;
  return word * (10000 * 0x100000000 + 1) >> 32;
}

/// Reads 1 to 15 decimal digits; UINT64_MAX if a byte is none.
static inline uint64_t read_long_digits(const uint8_t *digits, uint32_t length) {
  if (length <= 8) return read_digits(digits, length);
  uint64_t upper = read_digits(digits, length - 8);
  uint64_t lower = read_digits(digits + length - 8, 8);
  return upper == UINT64_MAX || lower == UINT64_MAX ? UINT64_MAX : upper * 100000000 + lower;
}

/// Reads a whole number of up to 15 digits, which is exact as a double. Returns false for minus
/// zero.
static inline bool read_whole(const uint8_t *digits, uint32_t length, double *number) {
  uint32_t sign = digits[0] == '-';
  uint32_t count = length - sign;
  digits += sign;
  if (count > 15 || (sign && digits[0] == '0')) return false;
  uint64_t value = read_long_digits(digits, count);
  if (value == UINT64_MAX) return false;
  *number = sign ? -(double)value : (double)value;
  return true;
}

/// Reads a number with a fraction and no exponent. It has up to 15 digits, at most eight of them in
/// front of the point. The digits and the power of ten are exact as doubles. Their quotient is
/// rounded once, which is correct (Clinger, "How to read floating point numbers accurately", 1990).
/// Returns false for minus zero.
static inline bool read_decimal(const uint8_t *digits, uint32_t length, double *number) {
  static const double powers[15] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
  };
  uint32_t sign = digits[0] == '-';
  uint32_t count = length - sign;
  digits += sign;
  uint32_t point = 1;
  while (point < 8 && point + 1 < count && digits[point] != '.') point++;
  // JSON has a digit before a point and after it.
  if (digits[point] != '.' || point + 1 >= count || count > 16) return false;
  uint32_t behind = count - point - 1;
  uint64_t whole = read_digits(digits, point);
  uint64_t fraction = read_long_digits(digits + point + 1, behind);
  if (whole == UINT64_MAX || fraction == UINT64_MAX) return false;
  double value = (double)(whole * (uint64_t)powers[behind] + fraction);
  if (sign && value == 0) return false;
  *number = (sign ? -value : value) / powers[behind];
  return true;
}

/// Counts a string and returns the reasons to note it.
static inline uint32_t count_string(
  feedscan_tally *tally, uint32_t length, uint64_t record, feedscan_tally_state *state) {
  count_value(tally, FEEDSCAN_TYPE_STRING, record, state);
  if (length < tally->shortest) tally->shortest = length;
  if (length > tally->longest) tally->longest = length;
  uint32_t reasons = tally->string_reasons;
  if (tally->is_sampled) {
    uint64_t count = tally->counts[FEEDSCAN_TYPE_STRING];
    if (count <= FEEDSCAN_FIRST_SAMPLES || count % FEEDSCAN_SAMPLING == 0) {
      reasons |= FEEDSCAN_NOTE_SAMPLE;
    }
  }
  return reasons;
}

/// Whether a number is written as a whole number without an exponent. False for minus zero.
static bool is_whole(const uint8_t *digits, uint32_t length) {
  uint32_t sign = digits[0] == '-';
  if (sign && digits[1] == '0') return false;
  for (uint32_t i = sign; i < length; i++) {
    if ((uint8_t)(digits[i] - '0') > 9) return false;
  }
  return true;
}

/// Counts a value other than `feedscan_kind_end`, and returns the reasons to note it.
static inline __attribute__((always_inline)) uint32_t count_any(
  feedscan_tally *tally, feedscan_spread *spreads, const feedscan_tape_entry *value,
  const uint8_t *chunk, uint64_t record, feedscan_tally_state *state) {
  feedscan_kind kind = value->kind;
  if (kind == feedscan_kind_string) return count_string(tally, value->length, record, state);
  if (kind == feedscan_kind_number) {
    const uint8_t *digits = chunk + value->offset;
    double number;
    bool whole = read_whole(digits, value->length, &number);
    bool is_read = whole || read_decimal(digits, value->length, &number);
    if (!is_read) whole = is_whole(digits, value->length);
    count_value(tally, whole ? FEEDSCAN_TYPE_INTEGER : FEEDSCAN_TYPE_NUMBER, record, state);
    if (!is_read) return FEEDSCAN_NOTE_NUMBER;
    feedscan_spread_add(spreads + value->path, number);
    return 0;
  }
  static const uint8_t types[feedscan_kind_end + 1] = {
    [feedscan_kind_null] = FEEDSCAN_TYPE_NULL,
    [feedscan_kind_true] = FEEDSCAN_TYPE_BOOLEAN,
    [feedscan_kind_false] = FEEDSCAN_TYPE_BOOLEAN,
    [feedscan_kind_array] = FEEDSCAN_TYPE_ARRAY,
    [feedscan_kind_object] = FEEDSCAN_TYPE_OBJECT,
  };
  count_value(tally, types[kind], record, state);
  tally->trues += kind == feedscan_kind_true;
  return 0;
}

/// Counts values of one record from the next one on. Stops before a value whose path has no tally,
/// or that might not fit in the notes. `first_element` is the index in notes of the first value,
/// and `before` the number of values before it. `has_rules` and `keeps_first` are constants.
static inline __attribute__((always_inline)) feedscan_tally_stop tally_values(
  const feedscan_tallies *tables, const uint8_t *chunk, const feedscan_tape_entry *values,
  size_t count, size_t first_element, size_t before, uint32_t *fields, feedscan_tally_state *state,
  feedscan_tally_output *output, bool has_rules, bool keeps_first) {
  // Copies, since the stores of counts could otherwise change them.
  feedscan_tally *tallies = tables->tallies;
  feedscan_spread *spreads = tables->spreads;
  const size_t path_count = tables->path_count;
  const uint64_t record = state->first_number + state->record;
  feedscan_note *note = output->notes + output->note_count;
  uint64_t keys = state->keys;
  // Bits of kinds that are not permitted, and of repeated keys.
  uint64_t refused = 0;
  size_t i = state->value;
  const size_t space = output->note_capacity - output->note_count;
  const size_t bound = count - i <= space ? count : i + space;
  feedscan_tally_stop stop = bound < count ? FEEDSCAN_TALLY_NOTES : FEEDSCAN_TALLY_END;
  for (; i < bound; i++) {
    const feedscan_tape_entry *value = values + i;
    if (value->kind == feedscan_kind_end) continue;
    size_t path = value->path;
    if (__builtin_expect(path >= path_count, 0)) {
      if (path >= tables->path_limit) {
        state->lost++;
        continue;
      }
      state->missing_path = (uint32_t)path;
      stop = FEEDSCAN_TALLY_NEW_PATH;
      break;
    }
    feedscan_tally *tally = tallies + path;
    uint32_t *field = fields + tally->field;
    if (!keeps_first || *field == 0) *field = (uint32_t)(before + i) + 1;
    uint32_t reasons = count_any(tally, spreads, value, chunk, record, state);
    if (has_rules) {
      refused |= (~(uint64_t)tally->permitted >> value->kind & 1) | (keys & tally->key_bit);
      keys |= tally->key_bit;
      if (tally->restricted >> value->kind & 1) reasons |= FEEDSCAN_NOTE_RULE;
    }
    if (__builtin_expect(reasons != 0, 0)) {
      *note++ = (feedscan_note){(uint32_t)(first_element + i), reasons};
    }
  }
  output->note_count = (size_t)(note - output->notes);
  state->keys = keys;
  state->is_permitted &= refused == 0;
  state->value = i;
  return stop;
}

static inline void end_record(feedscan_tally_state *state, bool has_rules) {
  state->has_begun = false;
  state->record++;
  if (has_rules) {
    state->conforms &= state->is_permitted && (state->keys & state->required) == state->required;
  }
}

/// `feedscan_tally_records`. `has_rules` and `keeps_first` are constants where it is called often.
static inline __attribute__((always_inline)) feedscan_tally_stop tally_records(
  const feedscan_tallies *tables, const feedscan_tally_tape *tape, size_t first, size_t end,
  feedscan_tally_state *state, feedscan_tally_output *output, bool has_rules, bool keeps_first) {
  while (state->record < end) {
    const feedscan_tape_entry *row = tape->rows + state->record * tape->slots;
    uint32_t *fields = output->fields + (state->record - first) * output->field_count;
    if (!state->has_begun) {
      if (row[tape->slots - 1].kind == feedscan_kind_array) {
        if (tables->path_count == 0) {
          state->missing_path = 0;
          return FEEDSCAN_TALLY_NEW_PATH;
        }
        const uint64_t record = state->first_number + state->record;
        count_value(tables->tallies, FEEDSCAN_TYPE_ARRAY, record, state);
      }
      for (size_t i = 0; i < output->field_count; i++) fields[i] = 0;
      state->value = 0;
      state->keys = 0;
      state->is_permitted = true;
      state->has_begun = true;
    }
    feedscan_tally_stop stop = tally_values(
      tables, tape->chunk, tape->elements + row->offset, row->length, row->offset, 0, fields, state,
      output, has_rules, keeps_first);
    if (stop != FEEDSCAN_TALLY_END) return stop;
    if (__builtin_expect(row->flags & FEEDSCAN_CUT, 0)) return FEEDSCAN_TALLY_CUT;
    end_record(state, has_rules);
  }
  return FEEDSCAN_TALLY_END;
}

feedscan_tally_stop feedscan_tally_records(
  const feedscan_tallies *tables, const feedscan_tally_tape *tape, size_t first, size_t end,
  feedscan_tally_state *state, feedscan_tally_output *output) {
  if (state->keeps_first) {
    return tally_records(tables, tape, first, end, state, output, state->has_rules, true);
  }
  return state->has_rules ? tally_records(tables, tape, first, end, state, output, true, false)
                          : tally_records(tables, tape, first, end, state, output, false, false);
}

feedscan_tally_stop feedscan_tally_part(
  const feedscan_tallies *tables, const uint8_t *chunk, const feedscan_tape_entry *values,
  size_t count, size_t before, feedscan_tally_state *state, feedscan_tally_output *output) {
  return tally_values(
    tables, chunk, values, count, 0, before, output->fields, state, output, state->has_rules,
    state->keeps_first);
}

void feedscan_tally_end(feedscan_tally_state *state) { end_record(state, state->has_rules); }
