#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// Parses a file as a C program would: opens `path`, reads it in chunks of 1 MiB and parses them with
/// YAJL with empty callbacks. Writes the number of bytes read.
///
/// `allow_many` accepts several values in sequence, as in line-delimited files. Returns false if
/// the file cannot be read or YAJL rejects it.
bool feedbench_parse_with_yajl(const char *path, bool allow_many, size_t *bytes);

/// Reads at most `count` bytes. Returns the number of bytes read, 0 at the end, or a negative
/// number.
typedef ssize_t (*feedbench_reader)(void *context, void *chunk, size_t count);

/// Does the same with input from a reader function.
bool feedbench_parse_read_with_yajl(
    feedbench_reader reader, void *context, bool allow_many, size_t *bytes);
