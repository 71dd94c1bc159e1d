#include "bareputs.h"

#include <errno.h>
#include <lmdb.h>
#include <stdlib.h>

struct bareputs {
  MDB_env *environment;
  MDB_dbi table;
};

int bareputs_open(const char *directory, size_t map_bytes, bareputs **puts) {
  bareputs *made = *puts = calloc(1, sizeof(bareputs));
  if (!made) return ENOMEM;
  int code = mdb_env_create(&made->environment);
  if (code) return code;
  if ((code = mdb_env_set_mapsize(made->environment, map_bytes))) return code;
  if ((code = mdb_env_open(made->environment, directory, MDB_NOTLS, 0600))) return code;
  MDB_txn *transaction;
  if ((code = mdb_txn_begin(made->environment, NULL, 0, &transaction))) return code;
  if ((code = mdb_dbi_open(transaction, NULL, 0, &made->table))) {
    mdb_txn_abort(transaction);
    return code;
  }
  return mdb_txn_commit(transaction);
}

typedef struct {
  const uint8_t *key;
  const feedpeer_entry *entry;
} sortable;

static int compare(const void *left, const void *right) {
  const sortable *a = left, *b = right;
  return feedpeer_compare(a->key, a->entry->key_count, b->key, b->entry->key_count);
}

static int put(bareputs *puts, MDB_txn *transaction, const sortable *item) {
  MDB_val key = {item->entry->key_count, (void *)item->key};
  MDB_val value = {item->entry->record_count, (void *)(item->key + item->entry->key_count)};
  return mdb_put(transaction, puts->table, &key, &value, 0);
}

/// One transaction. Its entries are sorted, which lets LMDB fill its pages one after another.
static int put_sorted(bareputs *puts, const uint8_t *bytes, const feedpeer_entry *entries,
                      size_t count) {
  MDB_txn *transaction;
  sortable *items = malloc((count ? count : 1) * sizeof(sortable));
  if (!items) return ENOMEM;
  for (size_t index = 0; index < count; index++) {
    items[index] = (sortable){bytes + entries[index].start, &entries[index]};
  }
  qsort(items, count, sizeof(sortable), compare);
  int code = mdb_txn_begin(puts->environment, NULL, 0, &transaction);
  if (!code) {
    for (size_t index = 0; !code && index < count; index++) {
      code = put(puts, transaction, &items[index]);
    }
    if (code) mdb_txn_abort(transaction);
    else code = mdb_txn_commit(transaction);
  }
  free(items);
  return code;
}

int bareputs_put(
    bareputs *puts, const uint8_t *bytes, const feedpeer_entry *entries, size_t count,
    size_t entries_a_commit) {
  int code = 0;
  for (size_t index = 0; !code && index < count; index += entries_a_commit) {
    size_t rest = count - index;
    code = put_sorted(
        puts, bytes, &entries[index], rest < entries_a_commit ? rest : entries_a_commit);
  }
  return code;
}

int bareputs_sum(bareputs *puts, size_t *count, uint64_t *sum) {
  MDB_txn *transaction;
  MDB_cursor *cursor;
  MDB_val key, value;
  *count = 0;
  *sum = 0;
  int code = mdb_txn_begin(puts->environment, NULL, MDB_RDONLY, &transaction);
  if (code) return code;
  if (!(code = mdb_cursor_open(transaction, puts->table, &cursor))) {
    while (!(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
      *sum += feedpeer_sum(value.mv_data, value.mv_size);
      *count += 1;
    }
    mdb_cursor_close(cursor);
  }
  mdb_txn_abort(transaction);
  return code == MDB_NOTFOUND ? 0 : code;
}

void bareputs_close(bareputs *puts) {
  if (!puts) return;
  if (puts->environment) mdb_env_close(puts->environment);
  free(puts);
}
