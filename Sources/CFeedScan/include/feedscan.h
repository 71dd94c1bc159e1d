#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The result of validating some bytes.
typedef enum {
  /// Every byte is clean.
  FEEDSCAN_CLEAN = 0,
  /// The last bytes start a sequence or an escape whose end is not among the bytes.
  FEEDSCAN_INCOMPLETE = 1,
  /// A byte sequence that is not UTF-8 (RFC 3629, section 3).
  FEEDSCAN_BAD_UTF8 = 2,
  /// A vertical tab or form feed, which JSON allows nowhere (RFC 8259, section 2).
  FEEDSCAN_BAD_CONTROL = 3,
  /// A \u escape of one half of a surrogate pair (RFC 8259, section 8.2).
  FEEDSCAN_LONE_SURROGATE = 4,
} feedscan_verdict;

/// The instruction sets of the scanners.
typedef enum {
  /// Plain C for every processor: the twin that all others must agree with.
  FEEDSCAN_SCALAR = 0,
  FEEDSCAN_AVX2 = 1,
  FEEDSCAN_AVX512 = 2,
  FEEDSCAN_NEON = 3,
} feedscan_kernel;

typedef struct {
  /// How many leading bytes are clean; the fault, if any, begins right after them.
  size_t clean;
  /// Line feeds among the clean bytes.
  size_t newlines;
  /// UTF-8 continuation bytes among the clean bytes: the difference of bytes and characters.
  size_t continuations;
  feedscan_verdict verdict;
} feedscan_validate_result;

/// Validates what YAJL does not: strict UTF-8, no vertical tab or form feed, surrogate escapes in
/// pairs. `bytes` must start between two characters and outside an escape. The clean bytes of an
/// earlier call always end there, so no state is passed on.
feedscan_validate_result feedscan_validate(
  const uint8_t *bytes, size_t count, feedscan_kernel kernel);

/// True if all of `bytes` is UTF-8 (RFC 3629). Other libraries validate UTF-8 alone, so this
/// separate function can be compared with theirs.
bool feedscan_is_utf8(const uint8_t *bytes, size_t count, feedscan_kernel kernel);

/// The state of a splitter between two calls. All zeros is the state before the first byte inside
/// a container.
typedef struct {
  /// All ones inside a string, else zero.
  uint64_t in_string;
  /// One if the next byte is escaped by a backslash.
  uint64_t escaped;
  /// Brackets open since the container began.
  int64_t depth;
} feedscan_splitter;

typedef struct {
  /// Where scanning stopped: at `count`, at the byte that closes the container, or right after the
  /// mark that filled `marks`.
  size_t stopped;
  /// How many marks were written.
  size_t marks;
  /// True if the byte at `stopped` closes the container itself.
  bool closed;
} feedscan_split_result;

/// Finds the start and end of each element of a container by quotes, escapes and brackets alone.
/// Each mark is the offset of a bracket that opens an element (the first, third, … in a fresh
/// container) or closes one. Scans `bytes[from ..< count]`.
feedscan_split_result feedscan_split(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count,
  uint32_t *marks, size_t capacity, feedscan_kernel kernel);

typedef struct {
  /// Where scanning stopped: at `count`, or right after the mark that filled `marks`.
  size_t stopped;
  /// How many marks were written.
  size_t marks;
} feedscan_lines_result;

/// Finds the line feeds of `bytes[from ..< count]`: each mark is the offset of one.
feedscan_lines_result feedscan_find_lines(
  const uint8_t *bytes, size_t from, size_t count, uint32_t *marks, size_t capacity,
  feedscan_kernel kernel);

typedef struct {
  /// Where scanning stopped.
  size_t stopped;
  /// How many marks were written.
  size_t marks;
  /// Line feeds and continuation bytes among the bytes scanned.
  size_t newlines, continuations;
} feedscan_scan_result;

/// Does the work of `feedscan_validate`, of `feedscan_split` or `feedscan_find_lines`, and of
/// `feedscan_find_specials` in one pass, as far as possible. It stops early, possibly at once,
/// before the end of the bytes, before a fault, and before the end of the container. The separate
/// functions continue from there.
///
/// `from` is the offset that both input validation and the splitter have reached. The three bytes
/// before it are read.
feedscan_scan_result feedscan_scan(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count, uint32_t *marks,
  size_t capacity, uint64_t *specials, size_t first_special, bool for_lines,
  feedscan_kernel kernel);

/// Sets a bit for each quote, backslash and control character of `bytes[from ..< to]`, and clears
/// the bits of other bytes. Bit `first_special + i` of `specials` belongs to `bytes[i]`. Bits after
/// the last may be cleared, up to the end of the next word.
void feedscan_find_specials(
  const uint8_t *bytes, size_t from, size_t to, uint64_t *specials, size_t first_special,
  feedscan_kernel kernel);

/// The state between two parts of a text that is copied in parts.
typedef struct {
  bool in_string, escaped;
} feedscan_strip_state;

/// Copies JSON text without the white space outside strings, byte by byte. Returns how many bytes
/// were written, at most `count`.
size_t feedscan_strip_rest(
  feedscan_strip_state *state, const uint8_t *bytes, size_t count, uint8_t *output);

/// The same for text that begins and ends outside strings. 64 bytes after the text may be read, and
/// 64 bytes after the output may be overwritten.
size_t feedscan_strip(
  const uint8_t *bytes, size_t count, uint8_t *output, feedscan_kernel kernel);

/// The offset after the bracket that closes the one at `from` in JSON text; `count + 1` if none
/// does. Only the depth counts: the types of the brackets inside are not compared. In text that is
/// not JSON, kernels may differ.
size_t feedscan_skip(
  const uint8_t *bytes, size_t from, size_t count, feedscan_kernel kernel);

/// The offset at which bytes are found in others; `count` if they are not.
///
/// - `folds`: whether ASCII letters are equal in both cases.
size_t feedscan_find(
  const uint8_t *bytes, size_t count, const uint8_t *needle, size_t length, bool folds);

/// `feedscan_is_plain_gap` for gaps of any width.
bool feedscan_is_wide_plain_gap(const uint8_t *bytes, size_t from, size_t to);

/// True if `bytes[from ..< to]` is exactly one comma and otherwise white space.
static inline bool feedscan_is_plain_gap(const uint8_t *bytes, size_t from, size_t to) {
  // The gap in a minified file, one for each record, is not worth a call.
  if (to - from == 1) return bytes[from] == ',';
  return feedscan_is_wide_plain_gap(bytes, from, to);
}

/// True if `bytes[from ..< to]` is the text between the values of two members: one comma, a key
/// without escapes of at most `key_bytes` bytes, one colon, and otherwise white space.
bool feedscan_is_plain_member_gap(
  const uint8_t *bytes, size_t from, size_t to, size_t key_bytes);

typedef uint8_t feedscan_block __attribute__((vector_size(16)));

/// True if all bits of a block are set.
static inline bool feedscan_is_full(feedscan_block block) {
  uint64_t halves[2];
  __builtin_memcpy(halves, &block, 16);
  return (halves[0] & halves[1]) == UINT64_MAX;
}

/// True if all of `bytes`, at least sixteen, are common characters that may occur anywhere in a URI
/// (RFC 3986, section 2): letters, digits and &'()*+,-./=?_.
static inline bool feedscan_is_plain_uri_text(const uint8_t *bytes, size_t count) {
  for (size_t at = 0;; at = count - at < 32 ? count - 16 : at + 16) {
    feedscan_block here;
    __builtin_memcpy(&here, bytes + at, 16);
    feedscan_block is_letter = (feedscan_block)((here | 0x20) - 'a' < 26);
    // From & to 9.
    feedscan_block is_digit_or_mark = (feedscan_block)(here - 0x26 < 0x14);
    // = and ? differ in a single bit.
    feedscan_block is_other = (feedscan_block)((here | 0x02) == 0x3F) | (feedscan_block)(here == '_');
    if (!feedscan_is_full(is_letter | is_digit_or_mark | is_other)) return false;
    if (at == count - 16) return true;
  }
}

/// The values of 16 hexadecimal digits. Makes a byte of `faults` nonzero for each byte that is not
/// one.
static inline feedscan_block feedscan_hexadecimal(feedscan_block text, feedscan_block *faults) {
  feedscan_block is_digit = (feedscan_block)(text - '0' < 10);
  feedscan_block is_letter = (feedscan_block)((text | 0x20) - 'a' < 6);
  *faults |= ~(is_digit | is_letter);
  return (text & 0x0F) + (is_letter & 9);
}

/// Eight bytes of text in the order of memory, four from each of two addresses.
static inline uint64_t feedscan_fours(const uint8_t *first, const uint8_t *second) {
  uint64_t eight;
  __builtin_memcpy(&eight, first, 4);
  __builtin_memcpy((uint8_t *)&eight + 4, second, 4);
  return eight;
}

/// Reads a UUID's 36 bytes of text (RFC 9562, section 4) into 16 bytes, in the order of the text.
/// Returns false if they are not hexadecimal digits with hyphens between them.
///
/// All digits are converted at once: a branch for each digit would be mispredicted half of the
/// time. The vectors are built from registers: a load that covers several smaller stores would
/// wait until these are in the cache.
static inline bool feedscan_read_uuid(const void *source, void *result) {
  typedef uint64_t words __attribute__((vector_size(16)));
  // C++ requires the cast.
  const uint8_t *text = (const uint8_t *)source;
  uint64_t start, end;
  __builtin_memcpy(&start, text, 8);
  __builtin_memcpy(&end, text + 28, 8);
  words first = {start, feedscan_fours(text + 9, text + 14)};
  words second = {feedscan_fours(text + 19, text + 24), end};
  int others = (text[8] ^ '-') | (text[13] ^ '-') | (text[18] ^ '-') | (text[23] ^ '-');
  feedscan_block faults = {0};
  feedscan_block front = feedscan_hexadecimal((feedscan_block)first, &faults);
  feedscan_block back = feedscan_hexadecimal((feedscan_block)second, &faults);
  feedscan_block high = __builtin_shufflevector(
    front, back, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  feedscan_block low = __builtin_shufflevector(
    front, back, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  feedscan_block value = high << 4 | low;
  __builtin_memcpy(result, &value, 16);
  return others == 0 && feedscan_is_full(~faults);
}

/// True if this build has the kernel and this processor supports it.
bool feedscan_has_kernel(feedscan_kernel kernel);

/// The fastest kernel that this processor supports.
feedscan_kernel feedscan_best_kernel(void);
