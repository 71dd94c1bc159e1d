#include "feedtally.h"

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

/// Reads a whole number of up to 15 digits, which is exact as a double. Returns false for minus
/// zero.
static inline bool read_whole(const uint8_t *digits, uint32_t length, double *number) {
  uint32_t sign = digits[0] == '-';
  if (length - sign > 15 || (sign && digits[1] == '0')) return false;
  int64_t value = 0;
  for (uint32_t i = sign; i < length; i++) {
    uint8_t digit = (uint8_t)(digits[i] - '0');
    if (digit > 9) return false;
    value = value * 10 + digit;
  }
  *number = (double)(sign ? -value : value);
  return true;
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

/// Adds a number to those of its path, and returns its type. Sets the reason to note it if the caller
/// must add it.
static inline uint32_t take_number(
  feedscan_spread *spread, const uint8_t *digits, uint32_t length, uint32_t *reasons) {
  double number;
  if (read_whole(digits, length, &number)) {
    feedscan_spread_add(spread, number);
    return FEEDSCAN_TYPE_INTEGER;
  }
  *reasons = FEEDSCAN_NOTE_NUMBER;
  return is_whole(digits, length) ? FEEDSCAN_TYPE_INTEGER : FEEDSCAN_TYPE_NUMBER;
}

/// Counts a value other than `feedscan_kind_end`, and returns the reasons to note it. Only numbers
/// take a branch of their own, because the kinds of records whose keys vary cannot be predicted.
static inline __attribute__((always_inline)) uint32_t count_any(
  feedscan_tally *tally, feedscan_spread *spreads, const feedscan_tape_entry *value,
  const uint8_t *chunk, uint64_t record, feedscan_tally_state *state) {
  static const uint8_t types[feedscan_kind_end + 1] = {
    [feedscan_kind_null] = FEEDSCAN_TYPE_NULL,
    [feedscan_kind_true] = FEEDSCAN_TYPE_BOOLEAN,
    [feedscan_kind_false] = FEEDSCAN_TYPE_BOOLEAN,
    [feedscan_kind_string] = FEEDSCAN_TYPE_STRING,
    [feedscan_kind_array] = FEEDSCAN_TYPE_ARRAY,
    [feedscan_kind_object] = FEEDSCAN_TYPE_OBJECT,
  };
  feedscan_kind kind = value->kind;
  uint32_t length = value->length, type = types[kind], reasons = 0;
  if (kind == feedscan_kind_number) {
    type = take_number(spreads + value->path, chunk + value->offset, length, &reasons);
  }
  count_value(tally, type, record, state);
  tally->trues += kind == feedscan_kind_true;
  bool is_string = kind == feedscan_kind_string;
  uint32_t low = is_string ? length : UINT32_MAX, high = is_string ? length : 0;
  tally->shortest = low < tally->shortest ? low : tally->shortest;
  tally->longest = high > tally->longest ? high : tally->longest;
  uint64_t count = tally->counts[FEEDSCAN_TYPE_STRING];
  bool is_sample = (count <= FEEDSCAN_FIRST_SAMPLES) | (count % FEEDSCAN_SAMPLING == 0);
  uint32_t sample = is_sample & tally->is_sampled ? FEEDSCAN_NOTE_SAMPLE : 0;
  return reasons | (is_string ? tally->string_reasons | sample : 0);
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
    // There is space for a note of each value.
    *note = (feedscan_note){(uint32_t)(first_element + i), reasons};
    note += reasons != 0;
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
