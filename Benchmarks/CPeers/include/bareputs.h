#pragma once

#include <stddef.h>
#include <stdint.h>

#include "feedpeer.h"

/// An LMDB environment that is written to by `mdb_put` alone, as durable as LMDB is by default:
/// a commit returns when its pages and its meta page are on the disk. Functions that return an
/// `int` return 0 or what `feedpeer_message` explains.
typedef struct bareputs bareputs;

/// Makes an environment with one table in an empty directory. Free it with `bareputs_close`,
/// whatever happened.
int bareputs_open(const char *directory, size_t map_bytes, bareputs **puts);

/// Puts the entries in their order, so many in each transaction.
int bareputs_put(
    bareputs *puts, const uint8_t *bytes, const feedpeer_entry *entries, size_t count,
    size_t entries_a_commit);

/// How many entries there are, and the sum of all values.
int bareputs_sum(bareputs *puts, size_t *count, uint64_t *sum);

void bareputs_close(bareputs *puts);
