/* Compares look-ups and scans of a feed through feedcore.h with LMDB on the same records.
 *
 *     read STORE FEED DIRECTORY
 *
 * The peer is an LMDB environment in DIRECTORY, with one table of records by key. Records are put
 * in key order, so that every page is full. A record of the peer has the bytes of all fields and
 * begins with the field that is read, so the peer has no cost to find the field. In a round both
 * look up the same keys, which are in the processor's caches, and they take turns at running
 * first. The program prints the median of the rounds' ratios. A look-up of the peer renews its
 * snapshot, finds the record and copies it, as a caller that keeps the record has to. The figure
 * in brackets is that of a look-up that neither renews nor copies.
 *
 * Ends with 1 if a look-up takes more than 1.5 times as long as that of the peer, with all fields
 * of the record or only the selected field. If FEEDCORE_BENCH_RESULTS names a file, this ratio
 * does not change the exit code, and the program appends a line of JSON for each comparison: how
 * many times as fast as the peer FeedCore is, in the median, the slowest and the fastest round. */
#include <feedcore.h>
#include <lmdb.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 25, LOOKUPS = 20000, LONGEST_KEY = 511, LONGEST_RECORD = 1 << 16 };

static const double LARGEST_RATIO = 1.5;

typedef struct {
  char *bytes;
  size_t length;
} key;

typedef struct {
  key name, record;
  size_t ordinal;
} entry;

static key *keys;
static size_t key_count;
static MDB_env *environment;
static MDB_dbi table;
static MDB_txn *transaction;
static feedcore_reader *reader;
static uint16_t key_field, read_field;
/* Prevents the compiler from removing a scan. */
static volatile uint64_t sink;

static void require(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "read: %s\n", what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint64_t sum(const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  return length == 0 ? 0 : length + at[0] + at[length - 1];
}

/* Writes the fields of the current record: the length of the field that is read, its bytes, and the
 * bytes of the other fields. Returns the number of bytes. */
static size_t gather(char *record) {
  uint16_t count = 0;
  size_t length = sizeof count;
  feedcore_field_info field;
  feedcore_value value;
  if (feedcore_field(reader, read_field, &value) == FEEDCORE_OK) {
    require(value.length <= UINT16_MAX && length + value.length <= LONGEST_RECORD, "a long field");
    count = (uint16_t)value.length;
    memcpy(record + length, value.bytes, value.length);
    length += value.length;
  }
  memcpy(record, &count, sizeof count);
  for (size_t index = 0; feedcore_reader_field(reader, index, &field) == FEEDCORE_OK; index++) {
    const char *bytes;
    size_t count;
    if (field.id == read_field || feedcore_field(reader, field.id, &value) != FEEDCORE_OK) continue;
    for (uint32_t element = 0; element < value.count; element++) {
      feedcore_element(reader, field.id, element, &bytes, &count);
      if (length + count > LONGEST_RECORD) break;
      memcpy(record + length, bytes, count);
      length += count;
    }
    if (!value.bytes || length + value.length > LONGEST_RECORD) continue;
    memcpy(record + length, value.bytes, value.length);
    length += value.length;
  }
  return length;
}

/* The sum of the field that is read, in a record of the peer. */
static uint64_t sum_peer(const char *record) {
  uint16_t count;
  memcpy(&count, record, sizeof count);
  return sum(record + sizeof count, count);
}

static key copy_of(const void *bytes, size_t length) {
  key made = {malloc(length), length};
  require(made.bytes != NULL, "memory for the peer");
  memcpy(made.bytes, bytes, length);
  return made;
}

/* Reads all records whose key LMDB accepts, in feed order. Returns their number. */
static size_t read_entries(entry *entries, uint64_t count) {
  static char record[LONGEST_RECORD];
  feedcore_value value;
  size_t found = 0;
  while (feedcore_next(reader, NULL) == FEEDCORE_OK && found < count) {
    if (feedcore_field(reader, key_field, &value) != FEEDCORE_OK || value.length == 0 ||
        value.length > LONGEST_KEY)
      continue;
    key name = copy_of(value.bytes, value.length);
    entries[found] = (entry){name, copy_of(record, gather(record)), found};
    found++;
  }
  return found;
}

/* The key order of LMDB. Equal keys are in feed order. */
static int compare_entries(const void *left, const void *right) {
  const entry *a = left, *b = right;
  size_t shorter = a->name.length < b->name.length ? a->name.length : b->name.length;
  int order = memcmp(a->name.bytes, b->name.bytes, shorter);
  if (order) return order;
  if (a->name.length != b->name.length) return a->name.length < b->name.length ? -1 : 1;
  return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

static void make_peer(const char *directory, uint64_t count) {
  MDB_txn *write;
  keys = calloc(count, sizeof *keys);
  entry *entries = calloc(count, sizeof *entries);
  require(keys && entries && !mdb_env_create(&environment) &&
              !mdb_env_set_mapsize(environment, (size_t)1 << 36) &&
              !mdb_env_open(environment, directory, MDB_NOTLS | MDB_NOSYNC, 0600) &&
              !mdb_txn_begin(environment, NULL, 0, &write) && !mdb_dbi_open(write, NULL, 0, &table),
          "the peer's environment");
  size_t found = read_entries(entries, count);
  qsort(entries, found, sizeof *entries, compare_entries);
  for (size_t index = 0; index < found; index++) {
    entry *made = &entries[index];
    MDB_val name = {made->name.length, made->name.bytes};
    MDB_val content = {made->record.length, made->record.bytes};
    int code = mdb_put(write, table, &name, &content, MDB_APPEND);
    require(code == 0 || code == MDB_KEYEXIST, "a record of the peer");
    if (code == 0) keys[key_count++] = made->name;
    free(made->record.bytes);
  }
  free(entries);
  require(!mdb_txn_commit(write) && !mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction),
          "the peer's records");
  mdb_txn_reset(transaction);
}

/* The keys of a round in one buffer, as in a program that has just read them. */
static key wanted[LOOKUPS];

static void choose_keys(void) {
  static char bytes[LOOKUPS * LONGEST_KEY];
  char *end = bytes;
  for (size_t index = 0; index < LOOKUPS; index++) {
    const key *chosen = &keys[(size_t)random() % key_count];
    wanted[index].bytes = memcpy(end, chosen->bytes, chosen->length);
    wanted[index].length = chosen->length;
    end += chosen->length;
  }
}

static uint64_t look_up(void) {
  uint64_t total = 0;
  feedcore_value value;
  for (size_t index = 0; index < LOOKUPS; index++) {
    require(feedcore_get(reader, wanted[index].bytes, wanted[index].length, NULL) == FEEDCORE_OK &&
                feedcore_field(reader, read_field, &value) == FEEDCORE_OK,
            "a record is missing in the feed");
    total += sum(value.bytes, value.length);
  }
  return total;
}

static uint64_t look_up_peer(int renews) {
  static char copy[LONGEST_RECORD];
  uint64_t total = 0;
  if (!renews) mdb_txn_renew(transaction);
  for (size_t index = 0; index < LOOKUPS; index++) {
    MDB_val name = {wanted[index].length, wanted[index].bytes}, content;
    if (renews) mdb_txn_renew(transaction);
    require(mdb_get(transaction, table, &name, &content) == 0, "a record is missing in the peer");
    if (renews) memcpy(copy, content.mv_data, content.mv_size);
    total += sum_peer(renews ? copy : content.mv_data);
    if (renews) mdb_txn_reset(transaction);
  }
  if (!renews) mdb_txn_reset(transaction);
  return total;
}

/* Seconds per look-up. */
static double time_look_up(uint64_t *total) {
  double start = now();
  *total = look_up();
  return (now() - start) / LOOKUPS;
}

static double time_look_up_peer(int renews, uint64_t *total) {
  double start = now();
  *total = look_up_peer(renews);
  return (now() - start) / LOOKUPS;
}

/* Both scans return the number of records. */
static uint64_t scan(void) {
  uint64_t records = 0, total = 0;
  feedcore_value value;
  for (; feedcore_next(reader, NULL) == FEEDCORE_OK; records++)
    if (feedcore_field(reader, read_field, &value) == FEEDCORE_OK)
      total += sum(value.bytes, value.length);
  sink = total;
  return records;
}

static uint64_t scan_peer(void) {
  static char copy[LONGEST_RECORD];
  uint64_t records = 0, total = 0;
  MDB_cursor *cursor;
  MDB_val name, content;
  mdb_txn_renew(transaction);
  require(!mdb_cursor_open(transaction, table, &cursor), "the peer's cursor");
  for (; mdb_cursor_get(cursor, &name, &content, MDB_NEXT) == 0; records++) {
    memcpy(copy, content.mv_data, content.mv_size);
    total += sum_peer(copy);
  }
  mdb_cursor_close(cursor);
  mdb_txn_reset(transaction);
  sink = total;
  return records;
}

/* Seconds per record, since the feed may have several records of a key, unlike the peer. */
static double time_scan(uint64_t (*scan)(void), uint64_t expected) {
  double start = now();
  uint64_t records = scan();
  double seconds = now() - start;
  require(records == expected, "a scan does not read every record");
  return seconds / (double)records;
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Sorts the values of all rounds. */
static double median(double *values) {
  qsort(values, ROUNDS, sizeof *values, compare);
  return values[ROUNDS / 2];
}

/* Seconds of each round. */
typedef struct {
  double ours[ROUNDS], peers[ROUNDS];
} times;

typedef struct {
  double ratio;        /* our time over that of the peer */
  double ours, peers;  /* nanoseconds of each */
  double low, high;    /* how many times as fast: the slowest and the fastest round */
} result;

static result result_of(times *all) {
  double ratios[ROUNDS];
  for (int round = 0; round < ROUNDS; round++) ratios[round] = all->ours[round] / all->peers[round];
  result made = {.ratio = median(ratios)};
  made.low = 1 / ratios[ROUNDS - 1];
  made.high = 1 / ratios[0];
  made.ours = 1e9 * median(all->ours);
  made.peers = 1e9 * median(all->peers);
  return made;
}

/* For the table of all benchmarks. */
static void append_result(const char *what, const char *peer, result made) {
  const char *path = getenv("FEEDCORE_BENCH_RESULTS");
  if (!path || !*path) return;
  FILE *file = fopen(path, "a");
  require(file != NULL, "the file for the results");
  int written = fprintf(
      file,
      "{\"group\":\"C\",\"case\":\"%s\",\"ours\":\"libfeedcore\","
      "\"peer\":\"%s\",\"our_figure\":%.1f,\"peer_figure\":%.1f,\"unit\":\"ns\","
      "\"better\":\"lower\",\"ratio\":%.3f,\"low\":%.3f,\"high\":%.3f,\"rounds\":%d}\n",
      what, peer, made.ours, made.peers, 1 / made.ratio, made.low, made.high, ROUNDS);
  require(written > 0 && fclose(file) == 0, "the file for the results");
}

/* Measures with the selected fields of the reader. Returns the ratio of the look-ups. */
static double run(const char *fields) {
  static times lookups, alone, scans;
  uint64_t records = feedcore_reader_feed(reader)->record_count;
  char what[64];
  for (int round = 0; round < ROUNDS; round++) {
    int begins = round % 2 == 0;
    uint64_t total, total_of_peer, total_alone;
    choose_keys();
    if (!begins) lookups.peers[round] = time_look_up_peer(1, &total_of_peer);
    lookups.ours[round] = alone.ours[round] = time_look_up(&total);
    if (begins) lookups.peers[round] = time_look_up_peer(1, &total_of_peer);
    alone.peers[round] = time_look_up_peer(0, &total_alone);
    require(total == total_of_peer && total == total_alone, "the two read different fields");
    if (!begins) scans.peers[round] = time_scan(scan_peer, key_count);
    scans.ours[round] = time_scan(scan, records);
    if (begins) scans.peers[round] = time_scan(scan_peer, key_count);
  }
  double bare = result_of(&alone).ratio;
  result look_up = result_of(&lookups), scanned = result_of(&scans);
  printf("%s: %.0f ns a look-up, %.0f ns a step of a scan\n", fields, look_up.ours, scanned.ours);
  printf("look-up: %.2f times mdb_get with renewal and copy (%.2f times mdb_get alone)\n",
         look_up.ratio, bare);
  printf("scan: %.2f times a cursor that copies\n", scanned.ratio);
  snprintf(what, sizeof what, "look-up and %s", fields);
  append_result(what, "mdb_get and memcpy", look_up);
  snprintf(what, sizeof what, "scan and %s", fields);
  append_result(what, "mdb_cursor_get and memcpy", scanned);
  return look_up.ratio;
}

int main(int count, char **words) {
  feedcore_store *store = NULL;
  feedcore_error *error = NULL;
  feedcore_value value;
  require(count == 4, "usage: read STORE FEED DIRECTORY");
  feedcore_store_open(words[1], strlen(words[1]), 0, &store, &error);
  if (!error) feedcore_reader_open(store, words[2], strlen(words[2]), &reader, &error);
  require(!error, feedcore_error_message(error, NULL));
  key_field = read_field = feedcore_reader_feed(reader)->key_field;
  if (feedcore_next(reader, NULL) == FEEDCORE_OK &&
      feedcore_field_named(reader, "country", 7, &value) == FEEDCORE_OK)
    read_field = value.id;
  require(feedcore_rewind(reader, 0, NULL) == FEEDCORE_OK, "the first record");
  make_peer(words[3], feedcore_reader_feed(reader)->record_count);
  require(key_count > 0, "no record that can be looked up");
  printf("%zu records, %zu keys\n", (size_t)feedcore_reader_feed(reader)->record_count, key_count);
  srandom(1);
  double of_all = run("one field of all");
  require(feedcore_reader_select(reader, &read_field, 1, NULL) == FEEDCORE_OK, "the selection");
  double of_one = run("one field");
  feedcore_reader_close(reader);
  feedcore_store_close(store);
  mdb_txn_abort(transaction);
  mdb_env_close(environment);
  if (of_all > LARGEST_RATIO || of_one > LARGEST_RATIO) {
    fprintf(stderr, "read: a look-up takes more than %.1f times that of the peer\n", LARGEST_RATIO);
    return getenv("FEEDCORE_BENCH_RESULTS") ? 0 : 1;
  }
  return 0;
}
