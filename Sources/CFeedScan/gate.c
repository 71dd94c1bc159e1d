#include "feedscan.h"
#include "vector.h"

/// The length of the UTF-8 sequence at `bytes` (RFC 3629, section 4), 0 if it is malformed, or -1
/// if `count` ends inside a sequence that is well formed so far.
static int sequence_length(const uint8_t *bytes, size_t count) {
  uint8_t lead = bytes[0];
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  uint8_t lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  uint8_t highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (int i = 1; i < length; i++) {
    if ((size_t)i >= count) return -1;
    if (bytes[i] < lowest || bytes[i] > highest) return 0;
    lowest = 0x80;
    highest = 0xBF;
  }
  return length;
}

/// The value of the four hexadecimal digits at `bytes`, or -1 if one of them is none.
static int32_t hex_quad(const uint8_t *bytes) {
  int32_t value = 0;
  for (int i = 0; i < 4; i++) {
    uint8_t c = bytes[i];
    int32_t digit;
    if (c >= '0' && c <= '9') digit = c - '0';
    else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') digit = (c | 0x20) - 'a' + 10;
    else return -1;
    value = value << 4 | digit;
  }
  return value;
}

/// Judges the escape whose backslash is at `bytes[0]`. Writes its length (of both halves for a
/// pair). A malformed escape is YAJL's to refuse: of it only the backslash passes here, so that
/// the bytes behind it are judged for themselves.
static feedscan_verdict judge_escape(const uint8_t *bytes, size_t count, size_t *length) {
  if (count < 2) return FEEDSCAN_INCOMPLETE;
  *length = bytes[1] == '\\' || bytes[1] == '"' ? 2 : 1;
  if (bytes[1] != 'u') return FEEDSCAN_CLEAN;
  if (count < 6) return FEEDSCAN_INCOMPLETE;
  int32_t first = hex_quad(bytes + 2);
  if (first < 0) return FEEDSCAN_CLEAN;
  *length = 6;
  if (first < 0xD800 || first > 0xDFFF) return FEEDSCAN_CLEAN;
  if (first > 0xDBFF) return FEEDSCAN_LONE_SURROGATE;
  if (count < 7) return FEEDSCAN_INCOMPLETE;
  if (bytes[6] != '\\') return FEEDSCAN_LONE_SURROGATE;
  if (count < 8) return FEEDSCAN_INCOMPLETE;
  if (bytes[7] != 'u') return FEEDSCAN_LONE_SURROGATE;
  if (count < 12) return FEEDSCAN_INCOMPLETE;
  int32_t second = hex_quad(bytes + 8);
  if (second < 0xDC00 || second > 0xDFFF) return FEEDSCAN_LONE_SURROGATE;
  *length = 12;
  return FEEDSCAN_CLEAN;
}

/// Judges byte after byte from `at`, which stands between two characters, and stops at a fault,
/// at `count`, or at the first boundary at or after `until`.
static feedscan_gate_result gate_scalar(
  const uint8_t *bytes, size_t at, size_t until, size_t count) {
  feedscan_gate_result result = {at, 0, FEEDSCAN_CLEAN};
  while (result.clean < until) {
    const uint8_t *here = bytes + result.clean;
    size_t left = count - result.clean;
    uint8_t c = *here;
    if (c == '\\') {
      size_t length;
      result.verdict = judge_escape(here, left, &length);
      if (result.verdict != FEEDSCAN_CLEAN) return result;
      result.clean += length;
    } else if (c < 0x80) {
      if (c == 0x0B || c == 0x0C) {
        result.verdict = FEEDSCAN_BAD_CONTROL;
        return result;
      }
      result.newlines += c == '\n';
      result.clean += 1;
    } else {
      int length = sequence_length(here, left);
      if (length <= 0) {
        result.verdict = length == 0 ? FEEDSCAN_BAD_UTF8 : FEEDSCAN_INCOMPLETE;
        return result;
      }
      result.clean += (size_t)length;
    }
  }
  return result;
}

#if FEEDSCAN_HAS_VECTOR

/// Judges the escapes whose backslashes are in `backslashes`, a mask over the block at `bytes`.
/// On a fault writes its place; else the place behind the last escape, which may lie beyond the
/// block.
static feedscan_verdict judge_escapes(
  const uint8_t *bytes, size_t count, uint64_t backslashes, size_t *at) {
  *at = 0;
  while (backslashes) {
    size_t place = (size_t)__builtin_ctzll(backslashes);
    backslashes &= backslashes - 1;
    if (place < *at) continue;
    size_t length;
    feedscan_verdict verdict = judge_escape(bytes + place, count - place, &length);
    if (verdict != FEEDSCAN_CLEAN) {
      *at = place;
      return verdict;
    }
    *at = place + length;
  }
  return FEEDSCAN_CLEAN;
}

/// Skims blocks of 64 bytes. Only a block with a fault is judged byte by byte, which names the
/// exact byte.
FEEDSCAN_VECTOR_FUNCTION
static feedscan_gate_result gate_vector(const uint8_t *bytes, size_t count) {
  feedscan_gate_result result = {0, 0, FEEDSCAN_CLEAN};
  while (count - result.clean >= 64) {
    const uint8_t *block = bytes + result.clean;
    feedscan_block loaded = feedscan_load(block);
    uint64_t backslashes = feedscan_equal(loaded, '\\');
    bool faulty = (feedscan_equal(loaded, 0x0B) | feedscan_equal(loaded, 0x0C)) != 0;
    size_t whole = 64;
    if (feedscan_high_bits(loaded)) {
      // The sequence that runs over the end of the block is left to the next one.
      whole = feedscan_whole_characters(block);
      faulty |= !feedscan_is_utf8(loaded, whole);
      // So is an escape behind it: passing over that would pass over the sequence.
      if (whole < 64) backslashes &= ((uint64_t)1 << whole) - 1;
    }
    if (backslashes && !faulty) {
      size_t behind;
      faulty = judge_escapes(block, count - result.clean, backslashes, &behind)
            != FEEDSCAN_CLEAN;
      if (behind > whole) whole = behind;
    }
    if (faulty) {
      feedscan_gate_result slow = gate_scalar(bytes, result.clean, result.clean + 64, count);
      slow.newlines += result.newlines;
      result = slow;
      if (result.verdict != FEEDSCAN_CLEAN) return result;
      continue;
    }
    uint64_t newlines = feedscan_equal(loaded, '\n');
    if (whole < 64) newlines &= ((uint64_t)1 << whole) - 1;
    result.newlines += (size_t)__builtin_popcountll(newlines);
    result.clean += whole;
  }
  feedscan_gate_result tail = gate_scalar(bytes, result.clean, count, count);
  tail.newlines += result.newlines;
  return tail;
}

#endif

feedscan_gate_result feedscan_gate(const uint8_t *bytes, size_t count, feedscan_kernel kernel) {
#if FEEDSCAN_HAS_VECTOR
  if (kernel == FEEDSCAN_VECTOR) return gate_vector(bytes, count);
#endif
  return gate_scalar(bytes, 0, count, count);
}

feedscan_kernel feedscan_best_kernel(void) {
#if FEEDSCAN_HAS_VECTOR && defined(__x86_64__)
  __builtin_cpu_init();
  bool is_able = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
              && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")
              && __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("pclmul");
  return is_able ? FEEDSCAN_VECTOR : FEEDSCAN_SCALAR;
#elif FEEDSCAN_HAS_VECTOR
  return FEEDSCAN_VECTOR;
#else
  return FEEDSCAN_SCALAR;
#endif
}
