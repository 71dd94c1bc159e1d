#include "feedscan.h"
#include "vector.h"

static inline bool is_opening(uint8_t c) { return c == '{' || c == '['; }
static inline bool is_closing(uint8_t c) { return c == '}' || c == ']'; }

/// The scalar twin: one byte at a time.
static feedscan_split_result split_scalar(
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

#if FEEDSCAN_HAS_VECTOR

/// One bit for each byte that a backslash before it escapes. `carry` says so of the first byte
/// and comes back with what the block says of the byte behind it.
static inline uint64_t escaped_bytes(uint64_t backslashes, uint64_t *carry) {
  uint64_t escaped = *carry;
  backslashes &= ~*carry;
  *carry = 0;
  while (backslashes) {
    uint64_t backslash = backslashes & -backslashes;
    uint64_t next = backslash << 1;
    if (next == 0) *carry = 1;
    escaped |= next;
    backslashes &= ~(backslash | next);
  }
  return escaped;
}

/// Each bit of the result is the parity of the bits up to and including its own.
static inline uint64_t running_parity(uint64_t bits) {
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  bits ^= bits << 32;
  return bits;
}

FEEDSCAN_VECTOR_FUNCTION
static feedscan_split_result split_vector(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count,
  uint32_t *marks, size_t capacity) {
  feedscan_split_result result = {from, 0, false};
  int64_t depth = splitter->depth;
  while (count - result.stopped >= 64 && capacity - result.marks >= 64) {
    feedscan_block block = feedscan_load(bytes + result.stopped);
    uint64_t backslashes = feedscan_equal(block, '\\');
    uint64_t escaped = 0;
    if (backslashes | splitter->escaped) {
      escaped = escaped_bytes(backslashes, &splitter->escaped);
    }
    uint64_t quotes = feedscan_equal(block, '"') & ~escaped;
    uint64_t strings = running_parity(quotes) ^ splitter->in_string;
    splitter->in_string = (uint64_t)((int64_t)strings >> 63);
    // An escaped bracket outside a string is YAJL's to refuse; it only has to be counted as
    // the scalar twin counts it.
    uint64_t brackets = ~(strings | escaped);
    uint64_t opening = feedscan_equal_folded(block, '{') & brackets;
    uint64_t closing = feedscan_equal_folded(block, '}') & brackets;
    int64_t closings = __builtin_popcountll(closing);
    if (depth > closings) {
      // Too deep for anything in this block to reach the container's own level.
      depth += __builtin_popcountll(opening) - closings;
      result.stopped += 64;
      continue;
    }
    for (uint64_t rest = opening | closing; rest; rest &= rest - 1) {
      size_t place = (size_t)__builtin_ctzll(rest);
      if (opening >> place & 1) {
        if (depth++ == 0) marks[result.marks++] = (uint32_t)(result.stopped + place);
      } else if (depth == 0) {
        result.stopped += place;
        result.closed = true;
        *splitter = (feedscan_splitter){0, 0, 0};
        return result;
      } else if (--depth == 0) {
        marks[result.marks++] = (uint32_t)(result.stopped + place);
      }
    }
    result.stopped += 64;
  }
  splitter->depth = depth;
  return result;
}

#endif

feedscan_split_result feedscan_split(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count,
  uint32_t *marks, size_t capacity, feedscan_kernel kernel) {
  feedscan_split_result result = {from, 0, false};
#if FEEDSCAN_HAS_VECTOR
  if (kernel == FEEDSCAN_VECTOR) {
    result = split_vector(splitter, bytes, from, count, marks, capacity);
    if (result.closed || count - result.stopped >= 64) return result;
  }
#endif
  feedscan_split_result rest = split_scalar(
    splitter, bytes, result.stopped, count, marks + result.marks, capacity - result.marks);
  rest.marks += result.marks;
  return rest;
}

bool feedscan_is_plain_gap(const uint8_t *bytes, size_t from, size_t to) {
  size_t commas = 0;
  for (size_t i = from; i < to; i++) {
    uint8_t c = bytes[i];
    if (c == ',') commas++;
    else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return false;
  }
  return commas == 1;
}
