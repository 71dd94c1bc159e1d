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
FEEDSCAN_VECTOR_INLINE uint64_t escaped_bytes(uint64_t backslashes, uint64_t *carry) {
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

/// Each bit of the result is the parity of the bits up to and including its own: a product
/// without carries by all ones.
FEEDSCAN_VECTOR_INLINE uint64_t running_parity(uint64_t bits) {
  __m128i product = _mm_clmulepi64_si128(
    _mm_set_epi64x(0, (int64_t)bits), _mm_set1_epi8((char)0xFF), 0);
  return (uint64_t)_mm_cvtsi128_si64(product);
}

/// Writes where an element begins, if the first of the brackets left in a block opens one.
FEEDSCAN_VECTOR_INLINE size_t mark_start(
  uint64_t opening, uint64_t closing, size_t base, uint32_t *mark) {
  // The lowest bit of an empty mask counts as behind every other.
  if (opening == 0 || (closing && (closing & -closing) < (opening & -opening))) return 0;
  *mark = (uint32_t)(base + (size_t)__builtin_ctzll(opening));
  return 1;
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
    if (depth == 0) {
      result.marks += mark_start(opening, closing, result.stopped, marks + result.marks);
    }
    // Only a closing bracket can end an element: how deep it stands follows from counting the
    // brackets before it.
    int64_t closed = 0;
    for (uint64_t rest = closing; rest;) {
      uint64_t below = (rest & -rest) - 1;
      size_t place = (size_t)__builtin_ctzll(rest);
      int64_t level = depth + __builtin_popcountll(opening & below) - closed;
      if (level == 0) {
        result.stopped += place;
        result.closed = true;
        *splitter = (feedscan_splitter){0, 0, 0};
        return result;
      }
      closed++;
      rest &= rest - 1;
      if (level == 1) {
        marks[result.marks++] = (uint32_t)(result.stopped + place);
        result.marks += mark_start(opening & ~below, rest, result.stopped, marks + result.marks);
      }
    }
    depth += __builtin_popcountll(opening) - closings;
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
