#pragma once

#include "feedreplay.h"

/// Where a string is in a chunk, without its quotes.
typedef struct {
  uint32_t offset, length;
} feedscan_string;

typedef struct {
  /// The offset in the chunk after the part that was read.
  size_t end;
  /// The bytes of its condensed text; 0 if the part must be parsed where it is.
  size_t byte_count;
  /// How many strings were left out.
  size_t string_count;
} feedscan_condensed;

enum {
  /// Bytes after the condensed text that may be overwritten.
  FEEDSCAN_CONDENSED_PADDING = 16,
};

/// Writes the start of `text[from ..< to]` without the contents of strings.
///
/// A string with a backslash or a control character is written whole. Parts end outside strings, so
/// the next call continues at the end of this part. If its first piece does not fit, the piece is a
/// part of its own, with no condensed text.
///
/// `from` is outside a string and before `to`. `capacity` is at least 2, and `string_capacity` at
/// least 1. 15 bytes after `to` may be read.
feedscan_condensed feedscan_condense(
  feedscan_text text, size_t from, size_t to, uint8_t *output, size_t capacity,
  feedscan_string *strings, size_t string_capacity);
