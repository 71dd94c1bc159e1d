#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// What a C program would do: opens `path`, reads it in pieces of 1 MiB and has YAJL parse them
/// with callbacks that do nothing. Writes the bytes read.
///
/// `allow_many` accepts one value behind another, as in line-delimited files. Returns false if
/// the file cannot be read or YAJL refuses it.
bool feedbench_parse_with_yajl(const char *path, bool allow_many, size_t *bytes);

/// Reads at most `count` bytes; returns how many, 0 at the end, or a negative number.
typedef ssize_t (*feedbench_reader)(void *context, void *piece, size_t count);

/// The same, reading from elsewhere.
bool feedbench_parse_read_with_yajl(
    feedbench_reader reader, void *context, bool allow_many, size_t *bytes);
