#pragma once

#include <stddef.h>
#include <stdint.h>

#include "feedpeer.h"

/// An LMDB environment that is only written to by `mdb_put`, with LMDB's default durability: a
/// commit returns when its pages and its meta page are on the disk. Functions that return an `int`
/// return 0 or an error code for `feedpeer_message`.
typedef struct bareputs bareputs;

/// Creates an environment with one table in an empty directory. Free it with `bareputs_close`, even
/// after a failure.
int bareputs_open(const char *directory, size_t map_bytes, bareputs **puts);

/// Puts the entries, `entries_a_commit` in each transaction, which puts them in the order of keys.
int bareputs_put(
    bareputs *puts, const uint8_t *bytes, const feedpeer_entry *entries, size_t count,
    size_t entries_a_commit);

/// Writes the number of entries and the sum of the checksums of all values.
int bareputs_sum(bareputs *puts, size_t *count, uint64_t *sum);

void bareputs_close(bareputs *puts);
