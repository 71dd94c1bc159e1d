#pragma once

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

/// The state of one inflating stream. `inflate_state` itself has arrays that are too large for
/// Swift to import.
typedef struct inflate_state feedcore_inflate;

/// The header of a gzip member, in the memory after the stream's state.
static inline struct isal_gzip_header *feedcore_inflate_header(feedcore_inflate *stream) {
  return (struct isal_gzip_header *)(stream + 1);
}

/// Prepares for the next gzip member. The caller reads its header first; ISA-L verifies its
/// trailer.
///
/// `isal_inflate` could read the header itself, but it loses a partial header when it returns.
static inline void feedcore_inflate_begin(feedcore_inflate *stream) {
  isal_inflate_init(stream);
  stream->crc_flag = ISAL_GZIP_NO_HDR_VER;
  struct isal_gzip_header *header = feedcore_inflate_header(stream);
  memset(header, 0, sizeof *header);
  isal_gzip_header_init(header);
}

/// Continues to read the header, and keeps none of its fields. Returns ISAL_DECOMP_OK at its end,
/// ISAL_END_INPUT if it needs more input, or an error.
static inline int feedcore_inflate_read_header(feedcore_inflate *stream) {
  return isal_read_gzip_header(stream, feedcore_inflate_header(stream));
}

/// Prepares for one zlib stream (RFC 1950), whose header and checksum ISA-L verifies.
static inline void feedcore_inflate_begin_zlib(feedcore_inflate *stream) {
  isal_inflate_init(stream);
  stream->crc_flag = ISAL_ZLIB;
}

/// Prepares for raw deflated data (RFC 1951), without a header or trailer.
static inline void feedcore_inflate_begin_raw(feedcore_inflate *stream) {
  isal_inflate_init(stream);
  stream->crc_flag = ISAL_DEFLATE;
}

/// NULL if there is no memory. To be freed by `free`.
static inline feedcore_inflate *feedcore_inflate_create(void) {
  size_t size = sizeof(feedcore_inflate) + sizeof(struct isal_gzip_header);
  feedcore_inflate *stream = (feedcore_inflate *)malloc(size);
  if (stream) feedcore_inflate_begin(stream);
  return stream;
}

/// The state of one stream that deflates to gzip, followed by the memory that its level needs.
/// `isal_zstream` itself has arrays that are too large for Swift to import.
typedef struct isal_zstream feedcore_deflate;

/// NULL if there is no memory. To be freed by `free`.
static inline feedcore_deflate *feedcore_deflate_create(void) {
  size_t size = (sizeof(feedcore_deflate) + 63) & ~(size_t)63;
  feedcore_deflate *stream = (feedcore_deflate *)malloc(size + ISAL_DEF_LVL1_DEFAULT);
  if (!stream) return NULL;
  isal_deflate_init(stream);
  stream->level = 1;
  stream->level_buf = (uint8_t *)stream + size;
  stream->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
  stream->gzip_flag = IGZIP_GZIP;
  return stream;
}

/// Deflates from the stream's `next_in` to its `next_out`, as much as fits. Returns COMP_OK or an
/// error.
static inline int feedcore_deflate_step(feedcore_deflate *stream, int is_last) {
  stream->end_of_stream = is_last ? 1 : 0;
  stream->flush = NO_FLUSH;
  return isal_deflate(stream);
}

/// Whether the whole output has been written, including the trailer.
static inline int feedcore_deflate_is_done(const feedcore_deflate *stream) {
  return stream->internal_state.state == ZSTATE_END;
}
