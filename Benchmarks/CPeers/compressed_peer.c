#include "compressed.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "feedbench.h"

enum { PIECE = 1 << 20 };

static ssize_t read_gzip(void *context, void *piece, size_t count) {
  return gzread(context, piece, (unsigned)count);
}

bool peers_parse_gzip_with_yajl(const char *path, size_t *bytes) {
  gzFile file = gzopen(path, "rbe");
  if (!file) return false;
  gzbuffer(file, PIECE);
  bool done = feedbench_parse_read_with_yajl(read_gzip, file, false, bytes);
  return gzclose(file) == Z_OK && done;
}

typedef struct {
  FILE *file;
  ZSTD_DStream *stream;
  ZSTD_inBuffer input;
  /// What zstd still expects: 0 at the end of a frame.
  size_t expected;
} zstandard_reader;

static ssize_t read_zstandard(void *context, void *piece, size_t count) {
  zstandard_reader *reader = context;
  ZSTD_outBuffer output = {piece, count, 0};
  while (output.pos < output.size) {
    if (reader->input.pos == reader->input.size) {
      reader->input.size = fread((void *)reader->input.src, 1, PIECE, reader->file);
      reader->input.pos = 0;
      if (reader->input.size == 0) break;
    }
    reader->expected = ZSTD_decompressStream(reader->stream, &output, &reader->input);
    if (ZSTD_isError(reader->expected)) return -1;
  }
  return output.pos == 0 && reader->expected != 0 ? -1 : (ssize_t)output.pos;
}

bool peers_parse_zstandard_with_yajl(const char *path, size_t *bytes) {
  zstandard_reader reader = {fopen(path, "rbe"), ZSTD_createDStream(), {malloc(PIECE), 0, 0}, 1};
  bool done = reader.file && reader.stream && reader.input.src &&
              feedbench_parse_read_with_yajl(read_zstandard, &reader, false, bytes);
  if (reader.file) fclose(reader.file);
  ZSTD_freeDStream(reader.stream);
  free((void *)reader.input.src);
  return done;
}

bool peers_write_gzip(const char *from, const char *to) {
  FILE *input = fopen(from, "rbe");
  gzFile output = gzopen(to, "wbe");
  char *piece = malloc(PIECE);
  bool done = input && output && piece;
  for (size_t count; done && (count = fread(piece, 1, PIECE, input)) > 0;) {
    done = gzwrite(output, piece, (unsigned)count) == (int)count;
  }
  if (output && gzclose(output) != Z_OK) done = false;
  if (input) fclose(input);
  free(piece);
  return done;
}

static bool write_frame(FILE *input, FILE *output, ZSTD_CCtx *context, char *pieces) {
  for (bool is_last = false; !is_last;) {
    ZSTD_inBuffer source = {pieces, fread(pieces, 1, PIECE, input), 0};
    is_last = source.size < PIECE;
    for (bool is_written = false; !is_written;) {
      ZSTD_outBuffer target = {pieces + PIECE, PIECE, 0};
      size_t left = ZSTD_compressStream2(
          context, &target, &source, is_last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left)) return false;
      if (fwrite(target.dst, 1, target.pos, output) != target.pos) return false;
      is_written = is_last ? left == 0 : source.pos == source.size;
    }
  }
  return true;
}

bool peers_write_zstandard(const char *from, const char *to) {
  FILE *input = fopen(from, "rbe"), *output = fopen(to, "wbe");
  ZSTD_CCtx *context = ZSTD_createCCtx();
  char *pieces = malloc(2 * PIECE);
  bool done = input && output && context && pieces && write_frame(input, output, context, pieces);
  if (output && fclose(output)) done = false;
  if (input) fclose(input);
  ZSTD_freeCCtx(context);
  free(pieces);
  return done;
}
