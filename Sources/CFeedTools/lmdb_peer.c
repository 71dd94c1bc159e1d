#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <lmdb.h>

#include "feedpeer.h"

enum { MAXIMUM_KEY = 511, PUTS_A_COMMIT = 100000 };

struct feedpeer {
  MDB_env *environment;
  MDB_dbi table;
  MDB_txn *reader;
  /// The target buffer of lookups.
  uint8_t *copy;
};

typedef struct {
  const uint8_t *key;
  feedpeer_entry *entry;
} sortable;

int feedpeer_open(const char *directory, size_t map_bytes, feedpeer **peer) {
  feedpeer *made = *peer = calloc(1, sizeof(feedpeer));
  if (!made) return ENOMEM;
  int code = mdb_env_create(&made->environment);
  if (code) return code;
  if ((code = mdb_env_set_mapsize(made->environment, map_bytes))) return code;
  // The peer does not have to survive a power cut.
  return mdb_env_open(made->environment, directory, MDB_NOTLS | MDB_NOSYNC, 0600);
}

static int compare(const void *left, const void *right) {
  const sortable *a = left, *b = right;
  return feedpeer_compare(a->key, a->entry->key_count, b->key, b->entry->key_count);
}

static int append(feedpeer *peer, MDB_txn *transaction, const sortable *item) {
  feedpeer_entry *entry = item->entry;
  MDB_val key = {entry->key_count, (void *)item->key};
  MDB_val value = {entry->record_count, (void *)(item->key + entry->key_count)};
  int code = mdb_put(transaction, peer->table, &key, &value, MDB_APPEND);
  if (!code) entry->is_stored = true;
  return code;
}

/// Keeps the items whose key is valid and belongs to one record only.
static size_t keep_fit(sortable *items, size_t count) {
  size_t kept = 0;
  for (size_t index = 0, end; index < count; index = end) {
    for (end = index + 1; end < count && !compare(&items[index], &items[end]); end++) {}
    uint32_t length = items[index].entry->key_count;
    if (end == index + 1 && length > 0 && length <= MAXIMUM_KEY) items[kept++] = items[index];
  }
  return kept;
}

static int append_all(feedpeer *peer, const sortable *items, size_t count) {
  size_t done = 0;
  do {
    MDB_txn *transaction;
    int code = mdb_txn_begin(peer->environment, NULL, 0, &transaction);
    if (code) return code;
    code = mdb_dbi_open(transaction, NULL, 0, &peer->table);
    for (size_t end = done + PUTS_A_COMMIT; !code && done < count && done < end; done++) {
      code = append(peer, transaction, &items[done]);
    }
    if (code) {
      mdb_txn_abort(transaction);
      return code;
    }
    if ((code = mdb_txn_commit(transaction))) return code;
  } while (done < count);
  return 0;
}

int feedpeer_build(feedpeer *peer, const uint8_t *bytes, feedpeer_entry *entries, size_t count) {
  sortable *items = malloc((count ? count : 1) * sizeof(sortable));
  if (!items) return ENOMEM;
  size_t maximum = 1;
  for (size_t index = 0; index < count; index++) {
    items[index] = (sortable){bytes + entries[index].start, &entries[index]};
    if (entries[index].record_count > maximum) maximum = entries[index].record_count;
  }
  qsort(items, count, sizeof(sortable), compare);
  int code = append_all(peer, items, keep_fit(items, count));
  free(items);
  if (code) return code;
  peer->copy = malloc(maximum);
  if (!peer->copy) return ENOMEM;
  if ((code = mdb_txn_begin(peer->environment, NULL, MDB_RDONLY, &peer->reader))) return code;
  mdb_txn_reset(peer->reader);
  return 0;
}

int feedpeer_look_up(
    feedpeer *peer, const uint8_t *keys, const uint32_t *ends, size_t count, bool renews,
    size_t *copied) {
  size_t start = 0, sum = 0;
  int code = renews ? 0 : mdb_txn_renew(peer->reader);
  for (size_t index = 0; !code && index < count; index++) {
    MDB_val key = {ends[index] - start, (void *)(keys + start)}, value;
    start = ends[index];
    if (renews && (code = mdb_txn_renew(peer->reader))) break;
    code = mdb_get(peer->reader, peer->table, &key, &value);
    if (!code) {
      memcpy(peer->copy, value.mv_data, value.mv_size);
      sum += value.mv_size;
    } else if (code == MDB_NOTFOUND) {
      code = 0;
    }
    if (renews) mdb_txn_reset(peer->reader);
  }
  mdb_txn_reset(peer->reader);
  *copied = sum;
  return code;
}

int feedpeer_scan(feedpeer *peer, bool whole_records, uint64_t *sum) {
  MDB_cursor *cursor;
  MDB_val key, value;
  uint64_t all = 0;
  int code = mdb_txn_renew(peer->reader);
  if (code) return code;
  if (!(code = mdb_cursor_open(peer->reader, peer->table, &cursor))) {
    while (!(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
      all += whole_records ? feedpeer_sum(value.mv_data, value.mv_size)
                           : feedpeer_sum(key.mv_data, key.mv_size);
    }
    mdb_cursor_close(cursor);
  }
  mdb_txn_reset(peer->reader);
  *sum = all;
  return code == MDB_NOTFOUND ? 0 : code;
}

void feedpeer_close(feedpeer *peer) {
  if (!peer) return;
  if (peer->reader) mdb_txn_abort(peer->reader);
  if (peer->environment) mdb_env_close(peer->environment);
  free(peer->copy);
  free(peer);
}

const char *feedpeer_message(int code) { return mdb_strerror(code); }
