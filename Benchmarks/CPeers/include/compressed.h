#pragma once

#include <stdbool.h>
#include <stddef.h>

/// What a C program would do: zlib's `gzread` in pieces of 1 MiB, and YAJL with callbacks that do
/// nothing. Writes the bytes parsed. Returns false if the file cannot be read or is refused.
bool peers_parse_gzip_with_yajl(const char *path, size_t *bytes);

/// The same with `ZSTD_decompressStream`.
bool peers_parse_zstandard_with_yajl(const char *path, size_t *bytes);

/// Compresses a file as `gzip` does by default.
bool peers_write_gzip(const char *from, const char *to);

/// Compresses a file as `zstd` does by default.
bool peers_write_zstandard(const char *from, const char *to);
