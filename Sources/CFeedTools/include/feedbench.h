#pragma once

#include <stdbool.h>
#include <stddef.h>

/// What a C program would do: opens `path`, reads it in pieces of 1 MiB and has YAJL parse them
/// with callbacks that do nothing. Writes the bytes read.
///
/// `allow_many` accepts one value behind another, as in line-delimited files. Returns false if
/// the file cannot be read or YAJL refuses it.
bool feedbench_parse_with_yajl(const char *path, bool allow_many, size_t *bytes);
