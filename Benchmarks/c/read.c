/* Look-ups and scans of a feed through feedcore.h, against LMDB with the same records.
 *
 *     read STORE FEED DIRECTORY
 *
 * The peer is an environment made in DIRECTORY, with one table in which each record lies under its
 * key. Its records are the bytes of all fields, one behind the other, so it is given the place of
 * the field for nothing. Both look the same keys up in a round, which are in the processor's caches
 * for both, and take turns in who begins; the median of the rounds' ratios is printed. A look-up of
 * the peer's renews its snapshot, finds the record and copies it, as whoever uses it afterwards has
 * to; the figure in brackets is of one that neither renews nor copies.
 *
 * Ends with 1 where a look-up of the field that was selected takes more than 1.5 times as long as the
 * peer's; one that finds the places of all fields is told beside it. Where the variable
 * FEEDCORE_BENCH_RESULTS names a file, a line of JSON for each is appended to it: how many times as
 * fast as the peer a look-up is, in the median round, the slowest and the fastest. */
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

static key *keys;
static size_t key_count;
static MDB_env *environment;
static MDB_dbi table;
static MDB_txn *transaction;
static feedcore_reader *reader;
static uint16_t key_field, read_field;

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

/* The bytes of all fields of the record on which the reader stands. */
static size_t gather(char *record) {
  size_t length = 0;
  feedcore_field_info field;
  feedcore_value value;
  for (size_t index = 0; feedcore_reader_field(reader, index, &field) == FEEDCORE_OK; index++) {
    const char *bytes;
    size_t count;
    if (feedcore_field(reader, field.id, &value) != FEEDCORE_OK) continue;
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

static void make_peer(const char *directory, uint64_t count) {
  static char record[LONGEST_RECORD];
  MDB_txn *write;
  feedcore_value value;
  keys = calloc(count, sizeof *keys);
  require(keys && !mdb_env_create(&environment) &&
              !mdb_env_set_mapsize(environment, (size_t)1 << 36) &&
              !mdb_env_open(environment, directory, MDB_NOTLS | MDB_NOSYNC, 0600) &&
              !mdb_txn_begin(environment, NULL, 0, &write) && !mdb_dbi_open(write, NULL, 0, &table),
          "the peer's environment");
  while (feedcore_next(reader, NULL) == FEEDCORE_OK && key_count < count) {
    if (feedcore_field(reader, key_field, &value) != FEEDCORE_OK || value.length == 0 ||
        value.length > LONGEST_KEY)
      continue;
    key *made = &keys[key_count++];
    made->length = value.length;
    made->bytes = malloc(value.length);
    memcpy(made->bytes, value.bytes, value.length);
    MDB_val name = {made->length, made->bytes}, content = {gather(record), record};
    int code = mdb_put(write, table, &name, &content, MDB_NOOVERWRITE);
    if (code == MDB_KEYEXIST) key_count--;
    require(code == 0 || code == MDB_KEYEXIST, "a record of the peer");
  }
  require(!mdb_txn_commit(write) && !mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction),
          "the peer's records");
  mdb_txn_reset(transaction);
}

/* The keys of a round, one behind the other, as a program has them that has just read them. */
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
            "a record that is not there");
    total += sum(value.bytes, value.length) != 0;
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
    require(mdb_get(transaction, table, &name, &content) == 0, "a record the peer lacks");
    if (renews) memcpy(copy, content.mv_data, content.mv_size);
    total += sum(renews ? copy : content.mv_data, content.mv_size) != 0;
    if (renews) mdb_txn_reset(transaction);
  }
  if (!renews) mdb_txn_reset(transaction);
  return total;
}

static double time_look_up(uint64_t *found) {
  double start = now();
  *found = look_up();
  return (now() - start) / LOOKUPS;
}

static double time_look_up_peer(int renews, uint64_t *found) {
  double start = now();
  *found = look_up_peer(renews);
  return (now() - start) / LOOKUPS;
}

static uint64_t scan(void) {
  uint64_t total = 0;
  feedcore_value value;
  while (feedcore_next(reader, NULL) == FEEDCORE_OK)
    if (feedcore_field(reader, read_field, &value) == FEEDCORE_OK)
      total += sum(value.bytes, value.length) != 0;
  return total;
}

static uint64_t scan_peer(void) {
  static char copy[LONGEST_RECORD];
  uint64_t total = 0;
  MDB_cursor *cursor;
  MDB_val name, content;
  mdb_txn_renew(transaction);
  require(!mdb_cursor_open(transaction, table, &cursor), "the peer's cursor");
  while (mdb_cursor_get(cursor, &name, &content, MDB_NEXT) == 0) {
    memcpy(copy, content.mv_data, content.mv_size);
    total += sum(copy, content.mv_size) != 0;
  }
  mdb_cursor_close(cursor);
  mdb_txn_reset(transaction);
  return total;
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

static double scan_ratio(int begins) {
  double start = now();
  if (begins) scan(); else scan_peer();
  double middle = now();
  if (begins) scan_peer(); else scan();
  double first = middle - start, second = now() - middle;
  return begins ? first / second : second / first;
}

typedef struct {
  double ratio;             /* how many times as long as the peer's a look-up takes */
  double ours, peers;       /* nanoseconds of each */
  double low, speed, high;  /* how many times as fast: slowest, median and fastest round */
} result;

static result run(const char *what) {
  double renewed[ROUNDS], bare[ROUNDS], scans[ROUNDS], ours[ROUNDS], peers[ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    int begins = round % 2 == 0;
    uint64_t found, found_by_peer, found_alone;
    choose_keys();
    if (!begins) peers[round] = time_look_up_peer(1, &found_by_peer);
    ours[round] = time_look_up(&found);
    if (begins) peers[round] = time_look_up_peer(1, &found_by_peer);
    bare[round] = ours[round] / time_look_up_peer(0, &found_alone);
    require(found == found_by_peer && found == found_alone, "the two found different records");
    renewed[round] = ours[round] / peers[round];
    scans[round] = scan_ratio(begins);
  }
  result made = {.ratio = median(renewed), .ours = median(ours), .peers = median(peers)};
  made.low = 1 / renewed[ROUNDS - 1];
  made.speed = 1 / made.ratio;
  made.high = 1 / renewed[0];
  printf("%s: %.0f ns a look-up with one field\n", what, 1e9 * made.ours);
  printf("look-up: %.2f times mdb_get with renewal and copy (%.2f times mdb_get alone)\n",
         made.ratio, median(bare));
  printf("scan: %.2f times a cursor that copies\n", median(scans));
  return made;
}

/* For the table of all benchmarks. */
static void append_result(const char *what, result made) {
  const char *path = getenv("FEEDCORE_BENCH_RESULTS");
  if (!path || !*path) return;
  FILE *file = fopen(path, "a");
  require(file != NULL, "the file for the results");
  int written = fprintf(
      file,
      "{\"group\":\"C\",\"case\":\"%s\",\"ours\":\"libfeedcore\","
      "\"peer\":\"mdb_get and memcpy\",\"our_figure\":%.1f,\"peer_figure\":%.1f,\"unit\":\"ns\","
      "\"better\":\"lower\",\"ratio\":%.3f,\"low\":%.3f,\"high\":%.3f,\"rounds\":%d}\n",
      what, 1e9 * made.ours, 1e9 * made.peers, made.speed, made.low, made.high, ROUNDS);
  require(written > 0 && fclose(file) == 0, "the file for the results");
}

int main(int count, char **words) {
  feedcore_store *store = NULL;
  feedcore_error *error = NULL;
  feedcore_value value;
  result all, selected;
  require(count == 4, "usage: read STORE FEED DIRECTORY");
  feedcore_store_open(words[1], strlen(words[1]), 0, &store, &error);
  if (!error) feedcore_reader_open(store, words[2], strlen(words[2]), &reader, &error);
  require(!error, feedcore_error_message(error, NULL));
  key_field = feedcore_reader_feed(reader)->key_field;
  make_peer(words[3], feedcore_reader_feed(reader)->record_count);
  require(key_count > 0, "no record that can be looked up");
  read_field = key_field;
  feedcore_get(reader, keys[0].bytes, keys[0].length, NULL);
  if (feedcore_field_named(reader, "country", 7, &value) == FEEDCORE_OK) read_field = value.id;
  printf("%zu records\n", key_count);
  srandom(1);
  all = run("all fields");
  require(feedcore_reader_select(reader, &read_field, 1, NULL) == FEEDCORE_OK, "the selection");
  selected = run("one field selected");
  append_result("look-up and one field", selected);
  append_result("look-up and one field of all", all);
  feedcore_reader_close(reader);
  feedcore_store_close(store);
  mdb_txn_abort(transaction);
  mdb_env_close(environment);
  if (selected.ratio > LARGEST_RATIO) {
    fprintf(stderr, "read: a look-up takes more than %.1f times that of the peer\n", LARGEST_RATIO);
    return 1;
  }
  return 0;
}
