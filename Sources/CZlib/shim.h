#pragma once

#include <zlib.h>

/// Begins to inflate gzip members, whose headers and checksums zlib proves.
/// `inflateInit2` is a macro, so Swift cannot call it.
static inline int feedcore_inflate_begin_gzip(z_stream *stream) {
  return inflateInit2(stream, MAX_WBITS + 16);
}
