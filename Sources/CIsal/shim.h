#pragma once

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

/// The state of one stream that is inflated. `inflate_state` itself holds arrays that are too
/// large for Swift to import.
typedef struct inflate_state feedcore_inflate;

/// The header of a gzip member, which lies behind the stream's state.
static inline struct isal_gzip_header *feedcore_inflate_header(feedcore_inflate *stream) {
  return (struct isal_gzip_header *)(stream + 1);
}

/// The next gzip member: its header is to be read first, its trailer is proved.
///
/// `isal_inflate` would read the header itself, but what it has read of one that is cut is lost when
/// it returns.
static inline void feedcore_inflate_begin(feedcore_inflate *stream) {
  isal_inflate_init(stream);
  stream->crc_flag = ISAL_GZIP_NO_HDR_VER;
  struct isal_gzip_header *header = feedcore_inflate_header(stream);
  memset(header, 0, sizeof *header);
  isal_gzip_header_init(header);
}

/// Reads on in the header, of which nothing is kept: ISAL_DECOMP_OK at its end, ISAL_END_INPUT where
/// it goes on, or an error.
static inline int feedcore_inflate_read_header(feedcore_inflate *stream) {
  return isal_read_gzip_header(stream, feedcore_inflate_header(stream));
}

/// One zlib stream (RFC 1950), whose header and checksum are proved.
static inline void feedcore_inflate_begin_zlib(feedcore_inflate *stream) {
  isal_inflate_init(stream);
  stream->crc_flag = ISAL_ZLIB;
}

/// Deflated data (RFC 1951) with nothing around it.
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

/// A stream that is deflated to gzip, with the memory that its level needs behind it.
/// `isal_zstream` itself holds arrays that are too large for Swift to import.
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

/// Deflates from the stream's `next_in` to its `next_out` what fits; COMP_OK or an error.
static inline int feedcore_deflate_step(feedcore_deflate *stream, int is_last) {
  stream->end_of_stream = is_last ? 1 : 0;
  stream->flush = NO_FLUSH;
  return isal_deflate(stream);
}

/// Whether all has been given, trailer included.
static inline int feedcore_deflate_is_done(const feedcore_deflate *stream) {
  return stream->internal_state.state == ZSTATE_END;
}
