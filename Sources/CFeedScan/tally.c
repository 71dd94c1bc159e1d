#include "feedtally.h"

// Safety: the values are elements of a tape, so their text is in the chunk, and a path that is below
// `path_count` has a tally.

feedscan_tally feedscan_tally_make(void) {
  return (feedscan_tally){
    .shortest = UINT32_MAX,
    .is_sampled = true,
    .string_reasons = FEEDSCAN_NOTE_TEXT,
    .permitted = UINT16_MAX,
  };
}

static inline void count_value(feedscan_tally *tally, uint32_t type, uint64_t record) {
  tally->records += tally->last_record != record + 1;
  tally->last_record = record + 1;
  if (tally->counts[type]++ == 0) tally->first_records[type] = record;
}

void feedscan_tally_count(feedscan_tally *tally, uint32_t type, uint64_t record) {
  count_value(tally, type, record);
}

/// Reads a whole number of up to 15 digits, which is exact as a double. Minus zero is none.
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

/// Counts a string and returns the reasons to note it.
static inline uint32_t count_string(
  feedscan_tally *tally, uint32_t length, uint64_t record) {
  count_value(tally, FEEDSCAN_TYPE_STRING, record);
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

size_t feedscan_tally_values(
  feedscan_tally *tallies, feedscan_spread *spreads, size_t path_count, size_t path_limit,
  const feedscan_tape_entry *values, size_t from, size_t count, const uint8_t *chunk,
  feedscan_tally_state *state, feedscan_note *notes, size_t *note_count) {
  const uint64_t record = state->record;
  uint64_t keys = state->keys;
  bool is_permitted = state->is_permitted;
  feedscan_note *note = notes + *note_count;
  size_t i = from;
  for (; i < count; i++) {
    const feedscan_tape_entry *value = values + i;
    feedscan_kind kind = value->kind;
    if (kind == feedscan_kind_end) continue;
    if (__builtin_expect(value->path >= path_count, 0)) {
      if (value->path < path_limit) break;
      state->lost++;
      continue;
    }
    feedscan_tally *tally = tallies + value->path;
    uint32_t reasons = tally->value_reasons;
    if (kind == feedscan_kind_string) {
      reasons |= count_string(tally, value->length, record);
    } else if (kind == feedscan_kind_number) {
      double number;
      if (read_whole(chunk + value->offset, value->length, &number)) {
        count_value(tally, FEEDSCAN_TYPE_INTEGER, record);
        feedscan_spread_add(spreads + value->path, number);
      } else {
        reasons |= FEEDSCAN_NOTE_UNCOUNTED;
      }
    } else {
      static const uint8_t types[feedscan_kind_end + 1] = {
        [feedscan_kind_null] = FEEDSCAN_TYPE_NULL,
        [feedscan_kind_true] = FEEDSCAN_TYPE_BOOLEAN,
        [feedscan_kind_false] = FEEDSCAN_TYPE_BOOLEAN,
        [feedscan_kind_array] = FEEDSCAN_TYPE_ARRAY,
        [feedscan_kind_object] = FEEDSCAN_TYPE_OBJECT,
      };
      count_value(tally, types[kind], record);
      tally->trues += kind == feedscan_kind_true;
    }
    is_permitted &= (tally->permitted >> kind & 1) != 0 && (keys & tally->key_bit) == 0;
    keys |= tally->key_bit;
    if (tally->restricted >> kind & 1) reasons |= FEEDSCAN_NOTE_RULE;
    if (__builtin_expect(reasons != 0, 0)) {
      *note++ = (feedscan_note){(uint32_t)i, reasons};
    }
  }
  *note_count = (size_t)(note - notes);
  state->keys = keys;
  state->is_permitted = is_permitted;
  return i;
}
