/* Ingests a file, or standard input chunk by chunk, and prints the position of an error.
 *
 *     cc ingest_feed.c $(pkg-config --cflags --libs feedcore) -o ingest_feed
 *     ./ingest_feed STORE FILE
 *     ./ingest_feed STORE - <FILE
 *
 * Exit codes: 0; 1 bad data, 2 usage or any other failure. */
#include <feedcore.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Prints an error, if the library has returned one, and returns the exit code. */
static int fail(feedcore_error *error) {
  feedcore_position position;
  if (error == NULL) return 2;
  int code = feedcore_error_status(error) == FEEDCORE_PAYLOAD ? 1 : 2;
  /* The message is safe to print. The pointer of a position is not: it has the input's keys. */
  fprintf(stderr, "ingest_feed: %s\n", feedcore_error_message(error, NULL));
  if (feedcore_error_position(error, &position) == FEEDCORE_OK && position.line > 0)
    fprintf(stderr, "at line %llu, column %llu, byte %llu, record %llu\n",
            (unsigned long long)position.line, (unsigned long long)position.column,
            (unsigned long long)position.offset, (unsigned long long)position.record);
  feedcore_error_free(error);
  return code;
}

static int count_calls(void *context, const feedcore_progress *progress) {
  (void)progress;
  ++*(unsigned *)context;
  return 0;
}

/* Reads the available bytes. Returns 0 at the end of the input, -1 if it cannot be read. Reads
 * again after a signal. */
static ssize_t read_piece(char *piece, size_t capacity) {
  ssize_t length;
  do
    length = read(0, piece, capacity);
  while (length < 0 && errno == EINTR);
  return length;
}

static feedcore_status push_input(
    feedcore_store *store, const feedcore_ingest_options *options, feedcore_report *report,
    feedcore_error **error) {
  char piece[4096];
  ssize_t length = 0;
  feedcore_ingest *ingest = NULL;
  feedcore_status status = feedcore_ingest_begin(store, options, &ingest, error);
  while (status == FEEDCORE_OK && (length = read_piece(piece, sizeof piece)) > 0)
    status = feedcore_ingest_push(ingest, piece, (size_t)length, error);
  if (status == FEEDCORE_OK && length == 0) return feedcore_ingest_finish(ingest, report, error);
  /* An input that cannot be read to its end must not be published. It may look complete, as lines
   * of JSON do. */
  if (length < 0) {
    perror("ingest_feed: standard input");
    status = FEEDCORE_IO;
  }
  feedcore_ingest_cancel(ingest);
  return status;
}

static feedcore_status ingest_file(
    feedcore_store *store, const char *path, const feedcore_ingest_options *options,
    feedcore_report *report, feedcore_error **error) {
  int descriptor = open(path, O_RDONLY);
  feedcore_status status = feedcore_ingest_fd(store, descriptor, options, report, error);
  if (descriptor >= 0) close(descriptor);
  return status;
}

int main(int count, char **words) {
  feedcore_error *error = NULL;
  feedcore_store *store = NULL;
  feedcore_report report;
  unsigned calls = 0;
  feedcore_ingest_options options = FEEDCORE_INGEST_OPTIONS_INIT;
  if (count != 3) {
    fputs("usage: ingest_feed STORE FILE|-\n", stderr);
    return 2;
  }
  options.progress = count_calls;
  options.context = &calls;
  options.origin = words[2];
  options.origin_length = strlen(words[2]);
  if (feedcore_store_open(words[1], strlen(words[1]), FEEDCORE_CREATE, &store, &error) !=
      FEEDCORE_OK)
    return fail(error);
  feedcore_status status = strcmp(words[2], "-") == 0
                               ? push_input(store, &options, &report, &error)
                               : ingest_file(store, words[2], &options, &report, &error);
  int code = 0;
  if (status == FEEDCORE_OK)
    printf("%s: %llu records, generation %llu, progress reported %s\n", report.feed,
           (unsigned long long)report.records, (unsigned long long)report.generation,
           calls > 0 ? "yes" : "no");
  else
    code = fail(error);
  feedcore_store_close(store);
  return code;
}
