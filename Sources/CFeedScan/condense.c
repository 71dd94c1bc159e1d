#include "feedcondense.h"
#include "replay.h"

#include <string.h>

// Safety: only special bytes before `to` are looked at. Text is written if it and a quote after it
// fit in `capacity`. The copy of its last bytes may extend 15 bytes further.

/// The special bytes of a text from an offset on.
typedef struct {
  const uint64_t *next_word;
  /// The special bytes of the last word that have not been returned, and the offset of its first
  /// byte. That offset is modulo 2^64, since the first word may begin before the text.
  uint64_t word;
  size_t first;
  size_t to;
} special_bytes;

/// Clears the bits of a word from `to` on.
static inline uint64_t word_before(uint64_t word, size_t first, size_t to) {
  size_t left = to - first;
  return left < 64 ? word & ~(UINT64_MAX << left) : word;
}

static inline special_bytes special_bytes_of(feedscan_text text, size_t from, size_t to) {
  size_t bit = text.first_special + from;
  const uint64_t *word = text.specials + bit / 64;
  size_t first = from - bit % 64;
  return (special_bytes){
    word + 1, word_before(little_endian(*word) & UINT64_MAX << bit % 64, first, to), first, to};
}

/// The offset of the next special byte; `to` if there is none.
static inline size_t next_special(special_bytes *specials) {
  while (specials->word == 0) {
    specials->first += 64;
    if (specials->first >= specials->to) return specials->to;
    uint64_t word = little_endian(*specials->next_word++);
    specials->word = word_before(word, specials->first, specials->to);
  }
  size_t offset = specials->first + (size_t)__builtin_ctzll(specials->word);
  specials->word &= specials->word - 1;
  return offset;
}

/// Skips a string up to its closing quote, from a backslash or control character in it on.
static void skip_string(special_bytes *specials, const uint8_t *chunk, size_t at) {
  while (at < specials->to && chunk[at] != '"') {
    size_t next = next_special(specials);
    bool is_escaped = chunk[at] == '\\' && next == at + 1;
    at = is_escaped ? next_special(specials) : next;
  }
}

static inline bool is_white_space(uint8_t byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/// Sets the highest bit of each byte that differs from `byte`.
static inline uint64_t differing(uint64_t word, uint8_t byte) {
  const uint64_t low = 0x7F7F7F7F7F7F7F7F;
  word ^= byte * 0x0101010101010101;
  return (((word & low) + low) | word) & ~low;
}

/// The end of `bytes[from ..< end]` without the white space (RFC 8259, section 2) at its end.
static inline size_t without_white_space(const uint8_t *bytes, size_t from, size_t end) {
  if (end == from || !is_white_space(bytes[end - 1])) return end;
  for (; end - from >= 8; end -= 8) {
    uint64_t word;
    memcpy(&word, bytes + end - 8, sizeof word);
    word = little_endian(word);
    uint64_t other = differing(word, ' ') & differing(word, '\n') & differing(word, '\r')
      & differing(word, '\t');
    if (other != 0) return end - (size_t)__builtin_clzll(other) / 8;
  }
  while (end > from && is_white_space(bytes[end - 1])) end--;
  return end;
}

static inline void copy(uint8_t *output, const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i += 16) memcpy(output + i, bytes + i, 16);
}

feedscan_condensed feedscan_condense(
  feedscan_text text, size_t from, size_t to, uint8_t *output, size_t capacity,
  feedscan_string *strings, size_t string_capacity) {
  const uint8_t *chunk = text.chunk;
  special_bytes specials = special_bytes_of(text, from, to);
  uint8_t *out = output;
  // Keeps space for one quote.
  const uint8_t *last = output + capacity - 1;
  size_t count = 0;
  // The start of the text that has not been written: after the first string, its closing quote.
  size_t start = from;
  for (;;) {
    // Outside strings, other special bytes are white space or no JSON.
    size_t open = next_special(&specials);
    while (open < to && chunk[open] != '"') open = next_special(&specials);
    size_t close = next_special(&specials);
    if (close < to && chunk[close] != '"') {
      skip_string(&specials, chunk, close);
      continue;
    }
    bool is_last = close >= to;
    // A quote ends any token before it, so the white space between them can be left out.
    size_t length = (is_last ? to : without_white_space(chunk, start, open)) - start;
    if (length >= (size_t)(last - out) || count == string_capacity) {
      if (count == 0) return (feedscan_condensed){is_last ? to : open, 0, 0};
      *out++ = '"';
      return (feedscan_condensed){start + 1, (size_t)(out - output), count};
    }
    copy(out, chunk + start, length);
    out += length;
    if (is_last) return (feedscan_condensed){to, (size_t)(out - output), count};
    *out++ = '"';
    strings[count++] = (feedscan_string){(uint32_t)(open + 1), (uint32_t)(close - open - 1)};
    start = close;
  }
}
