#include "kernels.h"

static inline bool is_opening(uint8_t c) { return c == '{' || c == '['; }
static inline bool is_closing(uint8_t c) { return c == '}' || c == ']'; }

feedscan_split_result feedscan_split_scalar(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count,
  uint32_t *marks, size_t capacity) {
  feedscan_split_result result = {from, 0, false};
  for (; result.stopped < count && result.marks < capacity; result.stopped++) {
    uint8_t c = bytes[result.stopped];
    if (splitter->escaped) {
      splitter->escaped = 0;
    } else if (c == '\\') {
      splitter->escaped = 1;
    } else if (c == '"') {
      splitter->in_string = ~splitter->in_string;
    } else if (splitter->in_string) {
      continue;
    } else if (is_opening(c)) {
      if (splitter->depth++ == 0) marks[result.marks++] = (uint32_t)result.stopped;
    } else if (is_closing(c)) {
      if (splitter->depth == 0) {
        result.closed = true;
        return result;
      }
      if (--splitter->depth == 0) marks[result.marks++] = (uint32_t)result.stopped;
    }
  }
  return result;
}

feedscan_lines_result feedscan_find_lines_scalar(
  const uint8_t *bytes, feedscan_lines_result found, size_t count, uint32_t *marks,
  size_t capacity) {
  for (; found.stopped < count && found.marks < capacity; found.stopped++) {
    if (bytes[found.stopped] == '\n') marks[found.marks++] = (uint32_t)found.stopped;
  }
  return found;
}

void feedscan_find_specials_scalar(
  const uint8_t *bytes, size_t from, size_t to, uint64_t *specials, size_t first_special) {
  uint8_t *map = (uint8_t *)specials;
  for (size_t i = from; i < to; i++) {
    size_t number = first_special + i;
    uint8_t bit = (uint8_t)(1 << number % 8);
    bool is_special = bytes[i] == '"' || bytes[i] == '\\' || bytes[i] < 0x20;
    map[number / 8] = is_special ? map[number / 8] | bit : map[number / 8] & (uint8_t)~bit;
  }
}

static inline size_t skip_space(const uint8_t *bytes, size_t from, size_t to) {
  while (from < to
         && (bytes[from] == ' ' || bytes[from] == '\n' || bytes[from] == '\r'
             || bytes[from] == '\t')) {
    from++;
  }
  return from;
}

bool feedscan_is_plain_member_gap(
  const uint8_t *bytes, size_t from, size_t to, size_t key_bytes) {
  size_t at = skip_space(bytes, from, to);
  if (at == to || bytes[at] != ',') return false;
  at = skip_space(bytes, at + 1, to);
  if (at == to || bytes[at] != '"') return false;
  size_t key = ++at;
  while (at < to && bytes[at] != '"') {
    if (bytes[at] == '\\' || bytes[at] < 0x20) return false;
    at++;
  }
  if (at == to || at - key > key_bytes) return false;
  at = skip_space(bytes, at + 1, to);
  return at < to && bytes[at] == ':' && skip_space(bytes, at + 1, to) == to;
}

bool feedscan_is_wide_plain_gap(const uint8_t *bytes, size_t from, size_t to) {
  size_t commas = 0;
  for (size_t i = from; i < to; i++) {
    uint8_t c = bytes[i];
    if (c == ',') commas++;
    else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return false;
  }
  return commas == 1;
}
