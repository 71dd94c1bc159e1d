#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Parses a file as a C program would: zlib's `gzread` in chunks of 1 MiB, and YAJL with empty
/// callbacks. Writes the number of bytes parsed. Returns false if the file cannot be read or YAJL
/// rejects it.
bool peers_parse_gzip_with_yajl(const char *path, size_t *bytes);

/// The same with `ZSTD_decompressStream`.
bool peers_parse_zstandard_with_yajl(const char *path, size_t *bytes);

/// Compresses a file as `gzip` does by default.
bool peers_write_gzip(const char *from, const char *to);

/// Compresses a file as `zstd` does by default.
bool peers_write_zstandard(const char *from, const char *to);
