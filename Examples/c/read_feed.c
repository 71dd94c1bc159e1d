/* Prints the records of a feed, or the one with a key, as lines of name=value.
 *
 *     cc read_feed.c $(pkg-config --cflags --libs feedcore) -o read_feed
 *     ./read_feed STORE FEED [KEY]
 *
 * Exit codes: 0; 1 no record with that key, 2 usage or any other failure. */
#include <feedcore.h>

#include <stdio.h>
#include <string.h>

static int fail(feedcore_error *error) {
  fprintf(stderr, "read_feed: %s\n", feedcore_error_message(error, NULL));
  feedcore_error_free(error);
  return 2;
}

static void print_text(const void *bytes, size_t length) {
  fwrite(bytes, 1, length, stdout);
}

static void print_list(feedcore_reader *reader, const feedcore_value *list) {
  for (uint32_t index = 0; index < list->count; index++) {
    const char *bytes;
    size_t length;
    if (feedcore_element(reader, list->id, index, &bytes, &length) != FEEDCORE_OK) return;
    if (index > 0) putchar(',');
    print_text(bytes, length);
  }
}

static void print_uuid(const unsigned char *bytes) {
  for (int index = 0; index < 16; index++) {
    if (index == 4 || index == 6 || index == 8 || index == 10) putchar('-');
    printf("%02X", bytes[index]);
  }
}

static void print_value(feedcore_reader *reader, const feedcore_value *value) {
  if (value->is_null) return;
  switch (value->type) {
  case FEEDCORE_TEXT: print_text(value->bytes, value->length); break;
  case FEEDCORE_TEXT_LIST: print_list(reader, value); break;
  case FEEDCORE_UUID: print_uuid(value->bytes); break;
  case FEEDCORE_DATE: printf("%.3f", value->number + FEEDCORE_REFERENCE_EPOCH); break;
  case FEEDCORE_NUMBER: printf("%.17g", value->number); break;
  default: printf("%lld", (long long)value->integer);
  }
}

/* The current record of the reader. */
static void print_record(feedcore_reader *reader) {
  feedcore_field_info field;
  feedcore_value value;
  for (size_t index = 0; feedcore_reader_field(reader, index, &field) == FEEDCORE_OK; index++) {
    if (feedcore_field(reader, field.id, &value) != FEEDCORE_OK) continue;
    if (index > 0) putchar('\t');
    printf("%s=", field.name ? field.name : "?");
    print_value(reader, &value);
  }
  putchar('\n');
}

static int read_feed(feedcore_reader *reader, const char *key) {
  feedcore_error *error = NULL;
  feedcore_status status;
  if (key) {
    status = feedcore_get(reader, key, strlen(key), &error);
    if (status == FEEDCORE_NONE) return 1;
    if (status == FEEDCORE_OK) print_record(reader);
  } else {
    while ((status = feedcore_next(reader, &error)) == FEEDCORE_OK) print_record(reader);
    if (status == FEEDCORE_NONE) return 0;
  }
  return status == FEEDCORE_OK ? 0 : fail(error);
}

int main(int count, char **words) {
  feedcore_error *error = NULL;
  feedcore_store *store = NULL;
  feedcore_reader *reader = NULL;
  if (count < 3 || count > 4 || feedcore_abi_version() != FEEDCORE_ABI_VERSION) {
    fprintf(stderr, "usage: read_feed STORE FEED [KEY], with version %d of the library\n",
            FEEDCORE_ABI_VERSION);
    return 2;
  }
  if (feedcore_store_open(words[1], strlen(words[1]), 0, &store, &error) != FEEDCORE_OK)
    return fail(error);
  feedcore_status status =
      feedcore_reader_open(store, words[2], strlen(words[2]), &reader, &error);
  int code = status == FEEDCORE_OK ? read_feed(reader, count > 3 ? words[3] : NULL) : fail(error);
  feedcore_reader_close(reader);
  feedcore_store_close(store);
  return code;
}
