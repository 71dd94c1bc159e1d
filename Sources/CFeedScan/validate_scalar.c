#include "kernels.h"

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

bool feedscan_is_utf8_scalar(const uint8_t *bytes, size_t count) {
  for (size_t at = 0; at < count;) {
    int length = sequence_length(bytes + at, count - at);
    if (length <= 0) return false;
    at += (size_t)length;
  }
  return true;
}

/// The value of the four hexadecimal digits at `bytes`, or -1 if one is not a digit.
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

/// Validates the escape whose backslash is at `bytes[0]`. Writes its length (of both halves for a
/// pair). YAJL rejects malformed escapes: here only their backslash is accepted, and the bytes
/// after it are validated separately.
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

feedscan_validate_result feedscan_validate_scalar(
  const uint8_t *bytes, size_t at, size_t until, size_t count) {
  feedscan_validate_result result = {at, 0, 0, FEEDSCAN_CLEAN};
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
      result.continuations += (size_t)length - 1;
    }
  }
  return result;
}
