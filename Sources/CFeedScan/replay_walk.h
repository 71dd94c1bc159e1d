#pragma once

#include "replay.h"
#include <string.h>

// The walk, for the kernel whose header was included before and provides BLOCK_INLINE and
// `glue_differs`. The bitmap of special bytes gives the ends of strings, in plain 64-bit code.
//
// Safety: a record starts with `{` and ends with `}`, or nothing else of it is read. `at` is before
// `end` wherever 64 bytes are loaded, so no load extends more than 64 bytes beyond the record. A
// number ends before the record's last bracket. Longer glue is compared only if it ends within the
// record.

BLOCK_INLINE bool is_digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }

/// The end of a number (RFC 8259, section 6), or null if there is none.
BLOCK_INLINE const uint8_t *number_end(const uint8_t *at) {
  at += *at == '-';
  if (*at == '0') {
    at++;
  } else {
    if (!is_digit(*at)) return NULL;
    do at++; while (is_digit(*at));
  }
  if (*at == '.') {
    at++;
    if (!is_digit(*at)) return NULL;
    do at++; while (is_digit(*at));
  }
  if ((*at | 0x20) == 'e') {
    at++;
    at += *at == '+' || *at == '-';
    if (!is_digit(*at)) return NULL;
    do at++; while (is_digit(*at));
  }
  return at;
}

/// The first quote, backslash or control character of [at, end), or an address at or after `end`.
BLOCK_INLINE const uint8_t *string_end(
  const feedscan_text *text, const uint8_t *at, const uint8_t *end) {
  const uint8_t *map = (const uint8_t *)text->specials;
  for (;;) {
    size_t bit = text->first_special + (size_t)(at - text->chunk);
    uint64_t specials;
    // Loaded from a byte address, for at least 57 useful bits. Bytes and bits have the same order.
    memcpy(&specials, map + bit / 8, sizeof specials);
    specials = little_endian(specials) >> bit % 8;
    if (__builtin_expect(specials != 0, 1)) return at + __builtin_ctzll(specials);
    at += 64 - bit % 8;
    if (at >= end) return at;
  }
}

/// The character that each letter after a backslash means (RFC 8259, section 7); zero for others.
static const uint8_t escaped_letters[256] = {
  ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r',
  ['t'] = '\t',
};

BLOCK_INLINE int32_t hexadecimal_digit(uint8_t c) {
  if (is_digit(c)) return c - '0';
  uint8_t letter = (uint8_t)((c | 0x20) - 'a');
  return letter < 6 ? letter + 10 : -1;
}

/// The value of four hexadecimal digits; negative if one is not a digit.
BLOCK_INLINE int32_t hexadecimal_unit(const uint8_t *at) {
  int32_t a = hexadecimal_digit(at[0]), b = hexadecimal_digit(at[1]);
  int32_t c = hexadecimal_digit(at[2]), d = hexadecimal_digit(at[3]);
  return (a | b | c | d) < 0 ? -1 : a << 12 | b << 8 | c << 4 | d;
}

/// Writes a code point as UTF-8; returns the byte after it.
BLOCK_INLINE uint8_t *write_code_point(uint8_t *out, uint32_t point) {
  if (point < 0x80) {
    *out++ = (uint8_t)point;
    return out;
  }
  if (point < 0x800) {
    *out++ = (uint8_t)(0xC0 | point >> 6);
  } else {
    if (point < 0x10000) {
      *out++ = (uint8_t)(0xE0 | point >> 12);
    } else {
      *out++ = (uint8_t)(0xF0 | point >> 18);
      *out++ = (uint8_t)(0x80 | (point >> 12 & 0x3F));
    }
    *out++ = (uint8_t)(0x80 | (point >> 6 & 0x3F));
  }
  *out++ = (uint8_t)(0x80 | (point & 0x3F));
  return out;
}

/// Decodes the escape at `*at`, which is a backslash, and advances past it; null if it is illegal
/// or a lone surrogate.
BLOCK_INLINE uint8_t *write_escape(uint8_t *out, const uint8_t **at) {
  const uint8_t *escape = *at;
  uint8_t letter = escaped_letters[escape[1]];
  if (letter) {
    *out = letter;
    *at = escape + 2;
    return out + 1;
  }
  if (escape[1] != 'u') return NULL;
  int32_t unit = hexadecimal_unit(escape + 2);
  if (unit < 0) return NULL;
  if (unit < 0xD800 || unit > 0xDFFF) {
    *at = escape + 6;
    return write_code_point(out, (uint32_t)unit);
  }
  if (unit > 0xDBFF || escape[6] != '\\' || escape[7] != 'u') return NULL;
  int32_t low = hexadecimal_unit(escape + 8);
  if (low < 0xDC00 || low > 0xDFFF) return NULL;
  *at = escape + 12;
  return write_code_point(out, 0x10000 + (uint32_t)((unit - 0xD800) << 10 | (low - 0xDC00)));
}

/// Unescapes a string up to its closing quote, which it returns; null if an escape is illegal, or
/// the string does not end. Writes at most 64 bytes more than the text has.
BLOCK_OUTLINE const uint8_t *unescape(
  const feedscan_text *text, const uint8_t *at, const uint8_t *end, uint8_t *out,
  size_t *length) {
  uint8_t *start = out;
  while (at < end) {
    const uint8_t *special = string_end(text, at, end);
    if (special >= end) return NULL;
    // Whole blocks; the last one extends at most 64 bytes further.
    for (size_t i = 0; i < (size_t)(special - at); i += 64) memcpy(out + i, at + i, 64);
    out += special - at;
    at = special;
    if (*at == '"') {
      *length = (size_t)(out - start);
      return at;
    }
    if (*at != '\\') return NULL;
    // Escapes come in runs, for example in non-Latin scripts.
    do {
      out = write_escape(out, &at);
      if (out == NULL) return NULL;
    } while (at < end && *at == '\\');
  }
  return NULL;
}

BLOCK_INLINE bool matches(const replay_step *step, const uint8_t *at, const uint8_t *end) {
  if (glue_differs(step, at)) return false;
  uint32_t length = step->length;
  if (__builtin_expect(length > GLUE_HEAD, 0)) {
    if (length > (size_t)(end - at)
        || memcmp(at + GLUE_HEAD, step->rest, length - GLUE_HEAD) != 0) return false;
  }
  // The glue before a number may be the start of longer glue, such as that before null.
  return step->token != FEEDSCAN_TOKEN_NUMBER || at[length] == '-' || is_digit(at[length]);
}

/// The next step if the likely one does not match; null if none is known.
BLOCK_OUTLINE replay_step *other_step(
  replay_step *before, const uint8_t *at, const uint8_t *end) {
  replay_step *step = before->earlier;
  if (!matches(step, at, end)) {
    replay_step **link = &before->next_state->first;
    while (*link != NULL && !matches(*link, at, end)) link = &(*link)->sibling;
    step = *link;
    if (step == NULL) return NULL;
    // Moved to the front.
    *link = step->sibling;
    step->sibling = before->next_state->first;
    before->next_state->first = step;
  }
  // If two steps alternate, the first guess changes only at every second miss.
  if (step != before->earlier || (before->misses++ & 1) != 0) {
    before->earlier = before->likely;
    before->likely = step;
  }
  return step;
}

/// A copy of a record without white space outside strings. It grows in the arena by whole blocks. The
/// last one extends at most 64 bytes beyond the record's length.
typedef struct {
  /// Whether there is one. The positions of values are then those in the copy.
  bool is_made;
  uint8_t *start, *end;
} record_copy;

BLOCK_INLINE uint32_t copied_bytes(const record_copy *copy) {
  return (uint32_t)(copy->end - copy->start);
}

BLOCK_INLINE void append_glue(record_copy *copy, const replay_step *step) {
  memcpy(copy->end, step->compact_head, GLUE_HEAD);
  if (__builtin_expect(step->compact_length > GLUE_HEAD, 0)) {
    memcpy(copy->end + GLUE_HEAD, step->compact_rest, step->compact_length - GLUE_HEAD);
  }
  copy->end += step->compact_length;
}

BLOCK_INLINE void append_token(record_copy *copy, const uint8_t *token, size_t length) {
  for (size_t i = 0; i < length; i += 64) memcpy(copy->end + i, token + i, 64);
  copy->end += length;
}

/// Writes the values in the glue of a step.
BLOCK_INLINE feedscan_replay_stop write_glue_values(
  const replay_step *step, uint32_t offset, const record_copy *copy, feedscan_tape *tape,
  size_t list_elements, size_t *list_start, uint32_t *list_position, unsigned *repeated) {
  const feedscan_operation *operation = step->operations;
  for (uint32_t left = step->operation_count; left > 0; left--, operation++) {
    uint32_t position = offset + operation->position;
    feedscan_tape_entry *slot = tape->row + operation->slot;
    switch (operation->code) {
    case FEEDSCAN_STORE:
      *repeated |= slot->kind;
      *slot = (feedscan_tape_entry){operation->kind, 0, 0, 0, 0, position};
      break;
    case FEEDSCAN_ELEMENT:
      if (tape->element_count == tape->element_capacity) return FEEDSCAN_NO_ELEMENTS;
      tape->elements[tape->element_count++] = (feedscan_tape_entry){
        operation->kind, 0, operation->slot, operation->length,
        operation->length > 0 ? position : 0,
        copy->is_made ? copied_bytes(copy) + operation->compact_position : position};
      break;
    case FEEDSCAN_OPEN_LIST:
      *repeated |= slot->kind;
      *list_start = tape->element_count;
      *list_position = position;
      break;
    case FEEDSCAN_CLOSE_LIST_HERE: *list_position = position;  // fall through
    case FEEDSCAN_CLOSE_LIST: {
      size_t elements = tape->element_count - *list_start;
      if (elements > list_elements) return FEEDSCAN_UNKNOWN;
      *slot = (feedscan_tape_entry){
        feedscan_kind_list, 0, 0, (uint32_t)elements, (uint32_t)*list_start, *list_position};
      break;
    }
    }
  }
  return FEEDSCAN_REPLAYED;
}

/// Completes the row of a document.
BLOCK_INLINE void end_document(feedscan_tape *tape, bool is_compact, const record_copy *copy) {
  if (copy->is_made) {
    tape->row[0].flags |= FEEDSCAN_COPIED;
    tape->row[1] = (feedscan_tape_entry){
      feedscan_kind_absent, 0, 0, copied_bytes(copy), (uint32_t)tape->arena_count, 0};
    tape->arena_count += copied_bytes(copy);
  } else if (is_compact) {
    tape->row[0].flags |= FEEDSCAN_COMPACT;
  }
}

/// Validates one record and writes its row. The output counts only if it returns FEEDSCAN_REPLAYED.
/// Returns in `steps` how many steps it has counted, in a document all. `is_document` is a
/// constant.
BLOCK_INLINE feedscan_replay_stop walk_record(
  feedscan_program *program, const feedscan_text *text, feedscan_range record,
  feedscan_tape *tape, bool is_document, size_t *steps) {
  const feedscan_program_options *options = &program->options;
  const uint8_t *chunk = text->chunk;
  const uint8_t *at = chunk + record.lower, *end = chunk + record.upper;
  size_t byte_count = record.upper - record.lower;
  *steps = 0;
  if (*at != '{' || end[-1] != '}') return FEEDSCAN_UNKNOWN;
  memset(tape->row, 0, options->slots * sizeof *tape->row);
  size_t list_start = 0;
  uint32_t list_position = 0;
  // Not zero once a slot has been written twice.
  unsigned repeated = 0;
  bool is_compact = true;
  record_copy copy = {false, tape->arena + tape->arena_count, tape->arena + tape->arena_count};
  if (is_document && !program->start.likely->is_compact && byte_count <= MAXIMUM_COPIED_BYTES) {
    if (byte_count > tape->arena_capacity - tape->arena_count) return FEEDSCAN_NO_ARENA;
    copy.is_made = true;
  }
  replay_step *before = &program->start;
  for (;;) {
    replay_step *step = before->likely;
    if (__builtin_expect(!matches(step, at, end), 0)) {
      step = other_step(before, at, end);
      if (step == NULL) return FEEDSCAN_UNKNOWN;
    }
    if (is_document || __builtin_expect(step->is_counted, 0)) {
      if (*steps == MAXIMUM_RECORD_STEPS) return FEEDSCAN_UNKNOWN;
      program->trace[(*steps)++] = (uint16_t)(step - program->steps);
      step->taken++;
    }
    is_compact &= step->is_compact;
    feedscan_replay_stop stop = write_glue_values(
      step, (uint32_t)(at - chunk), &copy, tape, options->list_elements, &list_start, &list_position,
      &repeated);
    if (stop != FEEDSCAN_REPLAYED) return stop;
    if (copy.is_made) append_glue(&copy, step);
    at += step->length;
    if (step->token == FEEDSCAN_TOKEN_END) {
      if (at != end || repeated != 0) return FEEDSCAN_UNKNOWN;
      if (is_document) end_document(tape, is_compact, &copy);
      return FEEDSCAN_REPLAYED;
    }
    if (at >= end) return FEEDSCAN_UNKNOWN;
    const uint8_t *token_end;
    uint32_t offset = (uint32_t)(at - chunk);
    feedscan_tape_entry value = {0};
    if (__builtin_expect(step->token == FEEDSCAN_TOKEN_STRING, 1)) {
      token_end = string_end(text, at, end);
      if (token_end >= end) return FEEDSCAN_UNKNOWN;
      value = (feedscan_tape_entry){
        feedscan_kind_string, 0, step->path, (uint32_t)(token_end - at), offset,
        copy.is_made ? copied_bytes(&copy) : offset - 1};
      if (__builtin_expect(*token_end != '"', 0)) {
        if (*token_end != '\\') return FEEDSCAN_UNKNOWN;
        if ((size_t)(end - at) > tape->arena_capacity - tape->arena_count) return FEEDSCAN_NO_ARENA;
        size_t length;
        // A document's strings are copied as they are written, over this.
        uint8_t *unescaped = is_document ? copy.end : tape->arena + tape->arena_count;
        token_end = unescape(text, at, end, unescaped, &length);
        if (token_end == NULL) return FEEDSCAN_UNKNOWN;
        if (is_document) {
          value.flags = FEEDSCAN_ESCAPED;
          value.length = (uint32_t)(token_end - at);
        } else if (step->target != FEEDSCAN_DROPPED) {
          value = (feedscan_tape_entry){
            feedscan_kind_string, FEEDSCAN_IN_ARENA, step->path, (uint32_t)length,
            (uint32_t)tape->arena_count, (uint32_t)(token_end + 1 - chunk)};
          tape->arena_count += length;
        }
      }
      // The limit applies to the unescaped text, which is not longer than the text compared here.
      if ((size_t)(token_end - at) > options->string_bytes) return FEEDSCAN_UNKNOWN;
    } else if (step->token == FEEDSCAN_TOKEN_NUMBER) {
      token_end = number_end(at);
      if (token_end == NULL || (size_t)(token_end - at) > options->number_bytes) {
        return FEEDSCAN_UNKNOWN;
      }
      value = (feedscan_tape_entry){
        feedscan_kind_number, 0, step->path, (uint32_t)(token_end - at), offset,
        copy.is_made ? copied_bytes(&copy) : offset};
    } else if (step->token == FEEDSCAN_TOKEN_KEY) {
      token_end = string_end(text, at, end);
      size_t length = (size_t)(token_end - at);
      if (token_end >= end || *token_end != '"' || length > options->key_bytes
          || (step->node >= 0 && replay_selects(program, step->node, at, length))) {
        return FEEDSCAN_UNKNOWN;
      }
      value = (feedscan_tape_entry){
        feedscan_kind_end, 0, (uint16_t)step->node, (uint32_t)length, offset, offset};
    } else {
      token_end = at;
    }
    if (copy.is_made) append_token(&copy, at, (size_t)(token_end - at));
    at = token_end;
    if (step->target == FEEDSCAN_IN_SLOT) {
      feedscan_tape_entry *slot = tape->row + step->slot;
      repeated |= slot->kind;
      *slot = value;
    } else if (step->target == FEEDSCAN_IN_LIST) {
      if (tape->element_count == tape->element_capacity) return FEEDSCAN_NO_ELEMENTS;
      tape->elements[tape->element_count++] = value;
    }
    before = step;
  }
}

/// Whether a record has too many values for the tape. YAJL's callbacks then decide which it keeps.
BLOCK_INLINE bool has_too_many_values(feedscan_replay_stop stop, size_t values) {
  // A full tape must not grow for such a record.
  size_t next = stop == FEEDSCAN_NO_ELEMENTS;
  return values + next > FEEDSCAN_RECORD_VALUES;
}

BLOCK_INLINE feedscan_replay_result replay_records(
  feedscan_program *program, feedscan_text text, const feedscan_range *records, size_t count,
  feedscan_tape *tape, bool is_document) {
  for (size_t i = 0; i < count; i++) {
    size_t element_count = tape->element_count, arena_count = tape->arena_count, steps;
    feedscan_replay_stop stop = walk_record(
      program, &text, records[i], tape, is_document, &steps);
    if (is_document && has_too_many_values(stop, tape->element_count - element_count)) {
      stop = FEEDSCAN_UNKNOWN;
    }
    if (stop != FEEDSCAN_REPLAYED) {
      tape->element_count = element_count;
      tape->arena_count = arena_count;
      while (steps > 0) program->steps[program->trace[--steps]].taken--;
      return (feedscan_replay_result){i, stop};
    }
    tape->row += program->options.slots;
  }
  return (feedscan_replay_result){count, FEEDSCAN_REPLAYED};
}

BLOCK_INLINE feedscan_replay_result replay_in_blocks(
  feedscan_program *program, feedscan_text text, const feedscan_range *records, size_t count,
  feedscan_tape *tape) {
  // The constant yields two specialized walks.
  return program->options.is_document
           ? replay_records(program, text, records, count, tape, true)
           : replay_records(program, text, records, count, tape, false);
}
