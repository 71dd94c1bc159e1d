#pragma once

#include <isa-l/igzip_lib.h>
#include <stdlib.h>

/// The state of one stream that is inflated. `inflate_state` itself holds arrays that are too
/// large for Swift to import.
typedef struct inflate_state feedcore_inflate;

/// The next gzip member, whose header and trailer are proved.
static inline void feedcore_inflate_begin(feedcore_inflate *stream) {
  isal_inflate_init(stream);
  stream->crc_flag = ISAL_GZIP;
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
  feedcore_inflate *stream = (feedcore_inflate *)malloc(sizeof(feedcore_inflate));
  if (stream) feedcore_inflate_begin(stream);
  return stream;
}
