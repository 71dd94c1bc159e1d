/*
 * feedcore.h - FeedCore from C: stores of feeds, their records and images.
 *
 *     feedcore_error *error = NULL;
 *     feedcore_store *store = NULL;
 *     feedcore_reader *reader = NULL;
 *     feedcore_value name;
 *
 *     if (feedcore_store_open("/var/cache/feeds", 16, 0, &store, &error) == FEEDCORE_OK &&
 *         feedcore_reader_open(store, "universities", 12, &reader, &error) == FEEDCORE_OK) {
 *       while (feedcore_next(reader, &error) == FEEDCORE_OK) {
 *         if (feedcore_field_named(reader, "name", 4, &name) == FEEDCORE_OK)
 *           printf("%.*s\n", (int)name.length, (const char *)name.bytes);
 *       }
 *     }
 *     if (error) fprintf(stderr, "%s\n", feedcore_error_message(error, NULL));
 *     feedcore_error_free(error);
 *     feedcore_reader_close(reader);
 *     feedcore_store_close(store);
 *
 *
 * HANDLES
 *
 * Stores, image stores, lists of feeds, readers, ingests and errors are handles. A handle is an
 * integer, not an address. The caller closes every handle that it opens, in any order: a handle
 * retains what it needs of another one until it is closed itself. Using NULL, a closed handle or
 * one of another kind returns FEEDCORE_BAD_HANDLE. Functions without a status return NULL or 0.
 * Closing NULL does nothing. At most 65 535 handles are open at a time.
 *
 *
 * TEXT AND BYTES
 *
 * Each text or byte argument is a pointer and a length in bytes. It need not be terminated. NULL
 * with a length of 0 is an empty text. The library does not use the bytes after the call. Texts are
 * UTF-8, of at most 1 MiB. A URL has at most 65 536 bytes, a content type 4 096. Returned pointers
 * are borrowed: the caller never frees them, and each function states how long they are valid.
 * Borrowed bytes are immutable and may have any alignment.
 *
 *
 * ERRORS
 *
 * A function returns FEEDCORE_OK, FEEDCORE_NONE or a failure. FEEDCORE_NONE means that there is no
 * such record, field or image; it is not a failure. After a failure, *error is an object that
 * states what happened, where, and what to do. The caller frees it. Otherwise *error is NULL, so
 * freeing it is always safe. A caller that needs no error passes NULL for `error`. If too many
 * handles are open, *error is a reserved object whose message adds little to the status. A failed
 * function sets its other results to NULL or zero and changes nothing in the store. There is one
 * exception: the system may fail to make durable a change that readers already see. The status is
 * then FEEDCORE_IO, and the message states this.
 *
 * No content of an argument ends the process. An invalid pointer or a length beyond its memory can,
 * and so can a system without free memory. A damaged or truncated data file ends it with SIGBUS if
 * the system cannot read a page, as in any program that maps files.
 *
 *
 * THREADS
 *
 *     feedcore_store, feedcore_images   any number of threads at a time
 *     feedcore_reader, feedcore_ingest  one thread at a time, not always the same one; a call that
 *                                       reads or writes the store during another such call
 *                                       returns FEEDCORE_MISUSE
 *     feedcore_feeds, feedcore_error    immutable: any number of threads at a time
 *
 * The functions that read the current record of a reader (feedcore_field, feedcore_element,
 * feedcore_reader_position and similar ones) take no lock, which would cost more than the function
 * itself. A program must not call them while another thread moves the reader.
 *
 * A program must not close a handle while another thread may still call a function with it. Closing
 * a handle also invalidates what is borrowed from it. Threads that read the same feed each open a
 * reader. Callbacks run on the calling thread, before the call returns. A callback must not use the
 * reader or ingest that calls it, unless the comment of its function allows it. A callback of an
 * ingest must not use FEEDCORE_WAIT either. Both return FEEDCORE_MISUSE. Everything else is
 * allowed. A thread that has an open ingest of a feed and waits for the same feed waits until
 * another thread ends that ingest.
 *
 * After a fork, handles that were opened before it return FEEDCORE_FORKED in the child. Functions
 * without a status return NULL or 0. Closing such a handle does not affect the parent. Opening the
 * same store in the child returns FEEDCORE_FORKED too. The child may open other stores. A program
 * that is started by exec opens stores as usual.
 *
 * valgrind reports some code of the Swift compiler as uses of uninitialised values. Run it with
 * --suppressions=PREFIX/share/feedcore/valgrind.supp.
 *
 *
 * SPACE IN THE STORE
 *
 * While an LMDB read transaction is open, LMDB cannot reuse pages that were replaced since, and the
 * file grows with each ingest. No function returns with an open transaction. Records are copied
 * into the reader, many at a time, so changes of the store do not affect their bytes. Only
 * feedcore_image_lend passes bytes of the map, and they are valid during the callback. Keep the
 * callback short, and copy bytes for a slow client.
 *
 * A scan holds a lease on the generation that it reads. The lease keeps the space of that
 * generation and nothing else. It ends at the end of the scan, with feedcore_reader_select, when a
 * new scan begins, or when the reader is closed. All leases that a process has on a store share one
 * descriptor.
 *
 *
 * VERSIONS
 *
 * Within one FEEDCORE_ABI_VERSION functions, constants and members of structures are added and
 * never changed or removed. Members are added only at the end of structures that the library
 * allocates, or that have a member `size`. Other structures do not change.
 */
#ifndef FEEDCORE_H
#define FEEDCORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FEEDCORE_ABI_VERSION 1
#define FEEDCORE_VERSION "0.1.0"

/* Seconds from 1970-01-01T00:00:00Z, the epoch of time_t, to 2001-01-01T00:00:00Z, the epoch of
 * this library. */
#define FEEDCORE_REFERENCE_EPOCH 978307200.0

/* The result of a call. Later versions may add values. */
typedef enum feedcore_status {
  FEEDCORE_OK = 0,
  FEEDCORE_NONE = 1,              /* there is no such record, field or image, or no more */
  FEEDCORE_MISUSE = 2,            /* a call that the rules of this file forbid */
  FEEDCORE_BAD_HANDLE = 3,        /* NULL, closed, or of another kind */
  FEEDCORE_READ_ONLY = 4,         /* the store was opened only for reading */
  FEEDCORE_NOT_FOUND = 5,         /* there is no such store, feed or input */
  FEEDCORE_BUSY = 6,              /* another user is changing the feed, or opening the store */
  FEEDCORE_CANCELLED = 7,         /* cancelled by a callback; nothing of it remains */
  FEEDCORE_CONFLICT = 8,          /* the feed does not meet a condition */
  FEEDCORE_PAYLOAD = 9,           /* the input is not JSON, or violates its contract */
  FEEDCORE_SEVERAL_KINDS = 10,    /* inputs have records of several kinds; not yet returned */
  FEEDCORE_TOO_MANY_REJECTED = 11, /* too large a part is rejected; not yet returned */
  FEEDCORE_INVALID_NAME = 12,     /* the name is not valid for a feed */
  FEEDCORE_INVALID_KIND = 13,     /* no such kind, or records of a kind other than the feed's */
  FEEDCORE_TOO_LARGE = 14,        /* above a limit, which the message names */
  FEEDCORE_DISK_FULL = 15,        /* the disk is full, or the map cannot grow further */
  FEEDCORE_IO = 16,               /* the operating system reported a failure */
  FEEDCORE_PERMISSION = 17,       /* the file system refused access */
  FEEDCORE_DAMAGED = 18,          /* the stored data is inconsistent */
  FEEDCORE_INCOMPATIBLE = 19,     /* a newer version of this library wrote the store */
  FEEDCORE_REPLACED = 20,         /* a restored store has replaced it: begin again */
  FEEDCORE_FORKED = 21,           /* opened before a fork and used in the child */
  FEEDCORE_NO_MEMORY = 22         /* too many handles are open */
} feedcore_status;

typedef struct feedcore_error feedcore_error;
typedef struct feedcore_store feedcore_store;
typedef struct feedcore_feeds feedcore_feeds;
typedef struct feedcore_reader feedcore_reader;
typedef struct feedcore_ingest feedcore_ingest;
typedef struct feedcore_images feedcore_images;

/* ---- Versions -------------------------------------------------------------------------------- */

/* The ABI of the loaded library. A program works with it if it equals FEEDCORE_ABI_VERSION. */
int feedcore_abi_version(void);

/* The version of the loaded library, such as "0.1.0". The text is always valid. */
const char *feedcore_version(void);

/* The text of a status, such as "not found". It is always valid. */
const char *feedcore_status_text(feedcore_status status);

/* ---- Errors ---------------------------------------------------------------------------------- */

/* The position of a fault in an input. Offsets count from 0; lines, columns and records from 1.
 *
 * The pointer contains the keys of the input unchanged, including zeros and terminal escape
 * sequences. Escape it before printing. The text of feedcore_error_message is safe to print. */
typedef struct feedcore_position {
  uint64_t offset;       /* of the invalid byte, or of the first byte of the token */
  uint64_t line;         /* 0 for a fault in compressed data; `offset` then counts its bytes */
  uint64_t column;       /* in bytes; 0 if line is 0 */
  uint64_t record;       /* 0 if the fault is in no record */
  const char *pointer;   /* JSON Pointer (RFC 6901), terminated; into the record in lines of JSON */
  size_t pointer_length;
  const char *reason;    /* the cause, terminated */
  size_t reason_length;
} feedcore_position;

/* The status that the function returned. */
feedcore_status feedcore_error_status(const feedcore_error *error);

/* What happened and what to do, in one line for people. The text is terminated; *length becomes
 * its length unless `length` is NULL. Borrowed until the error is freed. "" if the handle is not
 * an error. */
const char *feedcore_error_message(const feedcore_error *error, size_t *length);

/* Writes the position of a fault in the input. Its texts are borrowed until the error is freed.
 * FEEDCORE_NONE if the error has no position in an input. */
feedcore_status feedcore_error_position(const feedcore_error *error, feedcore_position *position);

/* Frees an error. */
feedcore_status feedcore_error_free(feedcore_error *error);

/* ---- Stores ---------------------------------------------------------------------------------- */

#define FEEDCORE_READ_WRITE 1u   /* the handle may change the store; otherwise it only reads */
#define FEEDCORE_CREATE 2u       /* the same, and creates a store if there is none */
#define FEEDCORE_DURABLE 4u      /* a power cut loses nothing, not even images; the first handle
                                    of a process decides. A published feed is always durable. */

/* Opens the store in a directory. The path "/dev/null" means a new store that is removed with its
 * handle. A reader also needs permission to write the lock files. Handles of the same store in one
 * process share one map. */
feedcore_status feedcore_store_open(
    const char *path, size_t path_length, uint32_t flags, feedcore_store **store,
    feedcore_error **error);

/* Closes a handle of a store. The store itself is closed with the last handle that needs it. */
feedcore_status feedcore_store_close(feedcore_store *store);

/* ---- Feeds ----------------------------------------------------------------------------------- */

/* The description of a feed. All texts are terminated, and borrowed as long as the structure. */
typedef struct feedcore_feed {
  const char *name;
  size_t name_length;
  const char *kind;            /* such as "universities" */
  size_t kind_length;
  uint64_t record_count;
  uint64_t stored_bytes;       /* of its records and indexes */
  uint64_t generation;         /* the number of the ingest that published it; increases */
  double reference_seconds;    /* its timestamp, in seconds since 2001-01-01T00:00:00Z */
  const char *origin;          /* the source of the records */
  size_t origin_length;
  const char *entity_tag;      /* from its server (ETag, Last-Modified); or NULL */
  size_t entity_tag_length;
  const char *last_modified;
  size_t last_modified_length;
  const char *envelope;        /* the document around the records, as JSON with an empty array */
  size_t envelope_length;
  uint16_t key_field;          /* the id of the field for lookups of records; 65535 if documents are
                                  found by their positions */
} feedcore_feed;

/* Lists all feeds by name, in one snapshot. */
feedcore_status feedcore_feeds_list(
    feedcore_store *store, feedcore_feeds **feeds, feedcore_error **error);

/* Lists the one feed with a name. FEEDCORE_NONE if there is none. */
feedcore_status feedcore_feeds_find(
    feedcore_store *store, const char *name, size_t name_length, feedcore_feeds **feeds,
    feedcore_error **error);

/* The number of feeds in a list. */
size_t feedcore_feeds_count(const feedcore_feeds *feeds);

/* A feed of a list, borrowed until the list is freed. NULL if the index is not below the count. */
const feedcore_feed *feedcore_feeds_at(const feedcore_feeds *feeds, size_t index);

/* The schema of a feed of a list, as JSON text: JSON Schema 2020-12 with annotations of FeedCore in
 * "x-feedcore". It has the path, the type and the id of each field. The text is terminated, and
 * borrowed until the list is freed. FEEDCORE_NONE if the index is not below the count. */
feedcore_status feedcore_feed_schema(
    const feedcore_feeds *feeds, size_t index, const char **text, size_t *length);

/* Frees a list. */
feedcore_status feedcore_feeds_free(feedcore_feeds *feeds);

/* Removes a feed and its records. FEEDCORE_NONE if there is no feed with this name. `flags`: 0, or
 * FEEDCORE_WAIT to wait while it is being ingested. */
feedcore_status feedcore_feed_delete(
    feedcore_store *store, const char *name, size_t name_length, uint32_t flags,
    feedcore_error **error);

/* The result of validating a feed. */
typedef enum feedcore_validation {
  FEEDCORE_FEED_ABSENT = 0,      /* there is no such feed */
  FEEDCORE_FEED_VALID = 1,       /* it is valid, and remains */
  FEEDCORE_FEED_EXPIRED = 2,     /* it had expired, and was deleted */
  FEEDCORE_FEED_UNREADABLE = 3   /* it could not be read, and was deleted */
} feedcore_validation;

/* Deletes a feed that has expired or cannot be read. `maximum_age` is in seconds, INFINITY for a
 * feed that never expires. A feed of exactly that age has expired; one with a timestamp in the
 * future has not. */
feedcore_status feedcore_feed_validate(
    feedcore_store *store, const char *name, size_t name_length, double maximum_age,
    feedcore_validation *validation, feedcore_error **error);

/* ---- Reading --------------------------------------------------------------------------------- */

/* The types of fields, as in feedrecord.h. */
#define FEEDCORE_TEXT 0x01
#define FEEDCORE_TEXT_LIST 0x02
#define FEEDCORE_JSON 0x03
#define FEEDCORE_BOOLEAN 0x11
#define FEEDCORE_SPAN 0x41
#define FEEDCORE_INTEGER 0x81
#define FEEDCORE_NUMBER 0x82
#define FEEDCORE_DATE 0x83
#define FEEDCORE_UUID 0xF1

/* A field of a record, borrowed while the record is the current one of the reader. */
typedef struct feedcore_value {
  uint16_t id;
  uint8_t type;        /* FEEDCORE_TEXT and so on */
  uint8_t is_null;     /* 1 if the field is null */
  uint32_t count;      /* FEEDCORE_TEXT_LIST: its elements, see feedcore_element */
  const void *bytes;   /* FEEDCORE_TEXT: UTF-8, not terminated; FEEDCORE_UUID: 16 bytes;
                          FEEDCORE_JSON: one JSON value; FEEDCORE_SPAN: a scalar of a document: a
                          string without quotes and escapes, or a number, true or false */
  size_t length;       /* of these bytes */
  int64_t integer;     /* FEEDCORE_INTEGER; FEEDCORE_BOOLEAN: 0 or 1 */
  double number;       /* FEEDCORE_NUMBER; FEEDCORE_DATE: seconds since 2001-01-01T00:00:00Z */
} feedcore_value;

/* A field of the records of a feed. */
typedef struct feedcore_field_info {
  uint16_t id;
  uint8_t type;
  uint8_t is_optional;   /* 1 if it may be absent or null */
  const char *name;      /* object keys from the record inwards, joined by dots; terminated. NULL
                            for a composed key, for the key of a member, and for a feed without
                            a stored schema whose kind this library does not know. Always valid. */
  size_t name_length;
} feedcore_field_info;

/* Opens a reader of a feed. It has no current record; feedcore_next begins at the first one. */
feedcore_status feedcore_reader_open(
    feedcore_store *store, const char *name, size_t name_length, feedcore_reader **reader,
    feedcore_error **error);

/* Closes a reader. */
feedcore_status feedcore_reader_close(feedcore_reader *reader);

/* The feed as the scan of the reader reads it, or as it was when the reader was opened. If a lookup
 * has found a feed of another kind since, the feed as of that lookup. That is also the kind of the
 * current record. Borrowed until feedcore_rewind, a feedcore_next that begins a scan, or the end of
 * the reader. */
const feedcore_feed *feedcore_reader_feed(const feedcore_reader *reader);

/* The number of fields, and one of them. If there is a current record, they are its fields: a feed
 * of another kind, whose ids have other meanings, can replace a feed. FEEDCORE_NONE if the index is
 * not below the number. */
size_t feedcore_reader_field_count(const feedcore_reader *reader);
feedcore_status feedcore_reader_field(
    const feedcore_reader *reader, size_t index, feedcore_field_info *field);

/* Selects the fields to read, by their ids. Lookups and scans are faster with fewer lists among
 * them. Reading another field then returns FEEDCORE_NONE, and the reader does not list it. `count`
 * 0 selects all, which is the default. Afterwards there is no current record, and a scan begins
 * again. */
feedcore_status feedcore_reader_select(
    feedcore_reader *reader, const uint16_t *fields, size_t count, feedcore_error **error);

/* Moves to the first record with a key, in the feed as it is published now. FEEDCORE_NONE if there
 * is none; there is then no current record. A scan continues afterwards from its position.
 *
 * The key of a text is its UTF-8; of a UUID its 16 bytes; of an integer its 8 bytes, big-endian.
 * The key of a document is the UTF-8 of a string, "true", "false", or the shortest decimal of a
 * number; the parts of a composed key are joined by the byte 0x1F. A document without a key is
 * found by its position, as in "#12". */
feedcore_status feedcore_get(
    feedcore_reader *reader, const void *key, size_t key_length, feedcore_error **error);

/* The same with the key as text: that of a UUID has hyphens, that of a number its decimals, and the
 * parts of a composed key are a JSON array. FEEDCORE_NONE also if no record can have such a key. */
feedcore_status feedcore_get_text(
    feedcore_reader *reader, const char *key, size_t key_length, feedcore_error **error);

/* Moves to the record at a position, counted from 0, in the feed as it is published now.
 * FEEDCORE_NONE if the feed has fewer records; there is then no current record. */
feedcore_status feedcore_get_at(
    feedcore_reader *reader, uint64_t position, feedcore_error **error);

/* Moves to the next record in document order. FEEDCORE_NONE after the last one; the next call then
 * begins a new scan. All records of a scan are of one generation, even if the feed is replaced
 * meanwhile. */
feedcore_status feedcore_next(feedcore_reader *reader, feedcore_error **error);

/* Begins a scan of the feed as it is published now, at a record counted from 0. */
feedcore_status feedcore_rewind(
    feedcore_reader *reader, uint64_t position, feedcore_error **error);

/* The position of the current record in the feed, counted from 0. */
feedcore_status feedcore_reader_position(const feedcore_reader *reader, uint64_t *position);

/* Receives a record that was found. It reads the fields of the record through `reader`, and must
 * not use `reader` otherwise. Returns 0 to continue, any other value to end the search. */
typedef int (*feedcore_visit)(void *context, feedcore_reader *reader);

/* Calls `visit` for each record that has a value in a field: the key field, or one that the ingest
 * has indexed. `field` is its id, or 0 for the key. The search reads one snapshot of the store,
 * which stays open until it returns. *count becomes the number of visits unless `count` is NULL. */
feedcore_status feedcore_find(
    feedcore_reader *reader, uint16_t field, const void *value, size_t value_length,
    feedcore_visit visit, void *context, uint64_t *count, feedcore_error **error);

/* Selects and orders records of a feed. Fill it with zeros, and set `size`:
 * feedcore_query query = FEEDCORE_QUERY_INIT; */
typedef struct feedcore_query {
  size_t size;              /* sizeof(feedcore_query) */
  const char *conditions;   /* one per line, such as size >= 10; a record meets all of them */
  size_t conditions_length;
  const char *sort;         /* paths to sort by, one per line; a minus sign reverses the order */
  size_t sort_length;
  uint64_t offset;          /* records to skip first */
  uint64_t limit;           /* maximum number of records; 0 for all, only without `sort` */
} feedcore_query;

#ifdef __cplusplus
#define FEEDCORE_QUERY_INIT { sizeof(feedcore_query), NULL, 0, NULL, 0, 0, 0 }
#else
#define FEEDCORE_QUERY_INIT { .size = sizeof(feedcore_query) }
#endif

/* Calls `visit` for each record that a query selects, in the feed as it is published now.
 * Conditions have the syntax that `feedcore show --help` describes. Equality on the key or an
 * indexed field is looked up; any other condition reads every record. At most 100,000 records are
 * sorted. *count becomes the number of visits unless `count` is NULL. FEEDCORE_NONE if no record
 * matches; FEEDCORE_MISUSE for a query that cannot be read, with the reason. */
feedcore_status feedcore_query_each(
    feedcore_reader *reader, const feedcore_query *query, feedcore_visit visit, void *context,
    uint64_t *count, feedcore_error **error);

/* Counts the records that meet all conditions of a query. The other members are ignored. */
feedcore_status feedcore_query_count(
    feedcore_reader *reader, const feedcore_query *query, uint64_t *count, feedcore_error **error);

#define FEEDCORE_LINES 1u   /* lines of JSON, each with a line feed, instead of an array */

/* The JSON texts of many elements, one after another. The bytes are a JSON array, so one call of a
 * parser reads all of them. Element i is the bytes from offsets[i] to offsets[i + 1] - 1; the one
 * byte between two elements separates them. Borrowed until the reader begins or reads another
 * batch, or is closed. */
typedef struct feedcore_batch {
  const char *bytes;        /* not terminated */
  size_t length;
  const uint64_t *offsets;  /* count + 1 of them */
  size_t count;             /* of the elements, at least 1 */
} feedcore_batch;

/* Begins to read the records that a query selects, in batches, in the feed as it is published now.
 * `query` may be NULL for all records. `paths` are the paths of the values to read, one per line.
 * Without paths, an element is a whole record. With one path, it is the value at the path, or null.
 * With several, it is an array of these values. `flags`: 0 or FEEDCORE_LINES. The reader keeps a
 * lease on the generation until the last batch. Batches do not move the current record, and
 * feedcore_next does not move them. */
feedcore_status feedcore_batch_begin(
    feedcore_reader *reader, const feedcore_query *query, const char *paths, size_t paths_length,
    uint32_t flags, feedcore_error **error);

/* Reads the next batch: elements until their texts have `size` bytes, at least one. 0 means 256
 * KiB. FEEDCORE_NONE after the last batch, and if none was begun. A failure ends the batches. */
feedcore_status feedcore_batch_next(
    feedcore_reader *reader, size_t size, feedcore_batch *batch, feedcore_error **error);

/* The JSON text of the current record, not terminated, borrowed while the record is the current
 * one. The text of a document is as ingested, without white space between its tokens. FEEDCORE_NONE
 * if there is no current record. */
feedcore_status feedcore_reader_text(
    feedcore_reader *reader, const char **bytes, size_t *length);

/* The value of the current record at a JSON Pointer (RFC 6901), as a text of type FEEDCORE_JSON
 * with the id 0, borrowed while the record is the current one. FEEDCORE_OK also for null
 * (`is_null`). FEEDCORE_NONE if the record has no such value, or there is no current record.
 * FEEDCORE_MISUSE if `pointer` is not a JSON Pointer. */
feedcore_status feedcore_reader_value(
    feedcore_reader *reader, const char *pointer, size_t pointer_length, feedcore_value *value);

/* A field of the current record, by its id or its name. The fields of a document are:
 * - its key and its indexed values, as FEEDCORE_SPAN, or as FEEDCORE_JSON for an object or array;
 * - the key of a member, as it is written between its quotes (id 65533);
 * - the whole text (id 65535, with an empty name).
 *
 * FEEDCORE_OK also for null (`is_null`). FEEDCORE_NONE if the record lacks the field, or there is
 * no current record or no field with this name. *value is then all zero. A call by id takes about
 * twenty nanoseconds; one by name takes longer. */
feedcore_status feedcore_field(
    const feedcore_reader *reader, uint16_t field, feedcore_value *value);
feedcore_status feedcore_field_named(
    const feedcore_reader *reader, const char *name, size_t name_length, feedcore_value *value);

/* An element of a list field: UTF-8, not terminated, borrowed while the record is the current one.
 * FEEDCORE_NONE if the index is not below the count. */
feedcore_status feedcore_element(
    const feedcore_reader *reader, uint16_t field, uint32_t index, const char **bytes,
    size_t *length);

/* ---- Ingesting ------------------------------------------------------------------------------- */

#define FEEDCORE_APPEND 1u              /* adds the records that the feed lacks */
#define FEEDCORE_WAIT 2u                /* waits while the feed is being changed; otherwise: busy */
#define FEEDCORE_LENIENT_DATES 4u       /* accepts dates that are not ISO 8601 */
#define FEEDCORE_REPLACE_SURROGATES 8u  /* a lone surrogate becomes U+FFFD, not an error */
#define FEEDCORE_IF_ABSENT 16u          /* only if there is no feed with this name */
#define FEEDCORE_IF_GENERATION 32u      /* only if the feed's generation is `generation` */
#define FEEDCORE_TIMED 64u              /* it was current at `reference_seconds`, not now */

/* The progress of an ingest. */
typedef struct feedcore_progress {
  uint64_t bytes;         /* read, decompressed */
  uint64_t input_bytes;   /* read, as stored in the input */
  uint64_t total_bytes;   /* as stored in the input; 0 if unknown */
  uint64_t records;
} feedcore_progress;

/* Called for each push. For a descriptor, called for each chunk, of at most half a megabyte, and
 * every 50 ms while no input arrives. Also called from time to time while a call waits for the feed
 * or writes the rest. Returns 0 to continue, any other value to cancel. A child process forked in
 * it must exit or exec, and must not return. */
typedef int (*feedcore_on_progress)(void *context, const feedcore_progress *progress);

/* The options of an ingest. Fill it with zeros, which mean the defaults, and set `size`:
 * feedcore_ingest_options options = FEEDCORE_INGEST_OPTIONS_INIT; */
typedef struct feedcore_ingest_options {
  size_t size;                /* sizeof(feedcore_ingest_options) */
  uint32_t flags;             /* FEEDCORE_APPEND and so on */
  uint32_t lanes;             /* threads that validate records; 0: one per processor, up to 8 */
  const char *feed;           /* the feed's name; by default that of its kind */
  size_t feed_length;
  const char *kind;           /* universities, feed, comments, characters, news; "json" for
                                 documents, which keep any JSON; by default the kind that the first
                                 record matches */
  size_t kind_length;
  const char *origin;         /* name of the input in errors and descriptions; "C" if NULL */
  size_t origin_length;
  const char *indexed_fields; /* names of fields to index in addition to the key, separated by
                                 commas; an append also keeps the feed's, a replacement does not.
                                 A comma in double quotes belongs to a name */
  size_t indexed_fields_length;
  uint64_t allowed_rejects;   /* bad records to skip; the next one is FEEDCORE_PAYLOAD */
  uint64_t generation;        /* see FEEDCORE_IF_GENERATION */
  double reference_seconds;   /* see FEEDCORE_TIMED */
  feedcore_on_progress progress;
  void *context;              /* for `progress` */
  const char *records;        /* where documents have their records, as a JSON Pointer; by default
                                 they are found */
  size_t records_length;
  const char *key;            /* paths of the key of documents, separated by commas; "#" for the
                                 position, "member" for the key of the member that a record is. A
                                 comma in double quotes belongs to a path, as in a."b,c" */
  size_t key_length;
} feedcore_ingest_options;

#ifdef __cplusplus
#define FEEDCORE_INGEST_OPTIONS_INIT \
  { sizeof(feedcore_ingest_options), 0, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0, 0, 0.0, NULL, NULL, \
    NULL, 0, NULL, 0 }
#else
#define FEEDCORE_INGEST_OPTIONS_INIT { .size = sizeof(feedcore_ingest_options) }
#endif

/* The result of an ingest. */
typedef struct feedcore_report {
  uint64_t records;      /* read and stored by this ingest */
  uint64_t rejected;     /* rejected and skipped */
  uint64_t bytes;        /* read, decompressed */
  uint64_t feed_records; /* of the feed afterwards */
  uint64_t generation;   /* the published one */
  char feed[72];         /* the feed's name, terminated */
} feedcore_report;

/* Reads a descriptor to its end into a feed. Publishes the feed completely and durably, or changes
 * nothing. Reading starts at the descriptor's offset and moves it. The caller still owns the
 * descriptor. The input may be compressed by gzip or zstd, which its first bytes show. JSON and
 * line-delimited JSON are distinguished too. After a failure, more may have been read than was
 * examined. Memory does not grow with the input. `options` and `report` may be NULL. */
feedcore_status feedcore_ingest_fd(
    feedcore_store *store, int descriptor, const feedcore_ingest_options *options,
    feedcore_report *report, feedcore_error **error);

/* Begins an ingest whose bytes are pushed, uncompressed, in chunks of any size. It does not lock
 * the feed yet. The ingest locks it when it has enough records for a write, after a megabyte or
 * two, or at the finish. Only then can it fail because the feed is busy or a condition does not
 * hold. From then on other threads and processes that change the feed wait or receive
 * FEEDCORE_BUSY. The lock ends with feedcore_ingest_finish or feedcore_ingest_cancel. If two
 * ingests were begun before, each is published in its turn. `options` may be NULL. */
feedcore_status feedcore_ingest_begin(
    feedcore_store *store, const feedcore_ingest_options *options, feedcore_ingest **ingest,
    feedcore_error **error);

/* Adds the next bytes. It waits for the disk from time to time, to bound the memory in use.
 * After a failure, each later push and the finish fail in the same way, and nothing is
 * published. A call that is refused because another call uses the handle does not affect the
 * ingest, which continues. */
feedcore_status feedcore_ingest_push(
    feedcore_ingest *ingest, const void *bytes, size_t length, feedcore_error **error);

/* Ends the document and publishes it completely. Returns when it would survive a power cut. An
 * incomplete document is an error. Closes the ingest even after a failure. */
feedcore_status feedcore_ingest_finish(
    feedcore_ingest *ingest, feedcore_report *report, feedcore_error **error);

/* Cancels an ingest, so that nothing of it remains, and closes it. */
feedcore_status feedcore_ingest_cancel(feedcore_ingest *ingest);

/* ---- Validating ------------------------------------------------------------------------------ */

/* The result of validating an input. */
typedef struct feedcore_check_report {
  uint64_t records;   /* validated: all, or those before the error */
  char kind[72];      /* terminated; "" if it is unknown */
} feedcore_check_report;

/* Validates an input against the contract of a kind, or of the one that its first record matches.
 * Stores nothing. FEEDCORE_PAYLOAD if the input is invalid; the error has the position. The report
 * is filled in both cases, and may be NULL. A descriptor is read as by feedcore_ingest_fd. Bytes
 * are uncompressed. */
feedcore_status feedcore_check_fd(
    int descriptor, const char *kind, size_t kind_length, feedcore_check_report *report,
    feedcore_error **error);
feedcore_status feedcore_check(
    const void *bytes, size_t length, const char *kind, size_t kind_length,
    feedcore_check_report *report, feedcore_error **error);

/* ---- Images ---------------------------------------------------------------------------------- */

/* The description of an image. Texts are terminated, and borrowed as long as the structure. */
typedef struct feedcore_image {
  uint64_t byte_count;
  uint64_t checksum;              /* XXH3-64 of its bytes */
  const char *content_type;       /* or NULL */
  size_t content_type_length;
  const char *entity_tag;         /* or NULL */
  size_t entity_tag_length;
  const char *last_modified;      /* or NULL */
  size_t last_modified_length;
  double fetched_seconds;         /* since 2001-01-01T00:00:00Z */
  double expiry_seconds;          /* the same; infinity for never */
} feedcore_image;

/* Receives a chunk of an image: `length` bytes at `bytes`, which begin at `offset` of the image.
 * All pointers are borrowed for this call only. Returns 0 to continue, any other value to stop. */
typedef int (*feedcore_take)(
    void *context, const feedcore_image *image, uint64_t offset, const void *bytes, size_t length);

/* Opens the images of a store, which lie next to its feeds, in a directory. `byte_cap` is the space
 * that they may occupy, at least 1 MiB. 0 leaves the cap unchanged; a new store has 1 GiB. A cap
 * other than 0 needs FEEDCORE_READ_WRITE. */
feedcore_status feedcore_images_open(
    const char *path, size_t path_length, uint32_t flags, uint64_t byte_cap,
    feedcore_images **images, feedcore_error **error);

/* Closes a handle of an image store. */
feedcore_status feedcore_images_close(feedcore_images *images);

/* Passes the bytes of an image in the map to `take`, without a copy. A small image is one chunk;
 * others are several chunks in order, each of at most 260 KiB. Pages that are freed during the call
 * cannot be reused before it returns, so `take` should be quick. It is not called for an image
 * without bytes. FEEDCORE_NONE if there is no image with this URL, or it has expired.
 * FEEDCORE_CANCELLED if `take` stopped. */
feedcore_status feedcore_image_lend(
    feedcore_images *images, const char *url, size_t url_length, feedcore_take take, void *context,
    feedcore_error **error);

/* Copies an image into a buffer. *length becomes its length. If that is more than `capacity`,
 * nothing is copied and the status is FEEDCORE_TOO_LARGE. */
feedcore_status feedcore_image_copy(
    feedcore_images *images, const char *url, size_t url_length, void *buffer, size_t capacity,
    size_t *length, feedcore_error **error);

/* Stores an image, which replaces one with the same URL. Evicts images that callers do not request
 * if the cap requires it. `content_type` may be NULL; that of PNG, JPEG, GIF, WebP, AVIF, SVG, BMP
 * and ICO is recognized. `expiry_seconds` is infinity for never. */
feedcore_status feedcore_image_insert(
    feedcore_images *images, const char *url, size_t url_length, const void *bytes, size_t length,
    const char *content_type, size_t content_type_length, double expiry_seconds,
    feedcore_error **error);

/* Removes an image. FEEDCORE_NONE if there is none with this URL. */
feedcore_status feedcore_image_remove(
    feedcore_images *images, const char *url, size_t url_length, feedcore_error **error);

#ifdef __cplusplus
}
#endif

#endif
