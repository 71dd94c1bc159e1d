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
 * Stores, image stores, lists of feeds, readers, ingests and errors are handles: words that mean
 * something to this library alone. Whoever opens one closes it, in any order: what a handle needs
 * of another one it keeps until it is closed itself. NULL, a handle that was closed and one of
 * another kind are answered with FEEDCORE_BAD_HANDLE (by functions that return no status, with
 * NULL or 0), and closing NULL does nothing. At most 65 535 handles are open at a time.
 *
 *
 * TEXT AND BYTES
 *
 * Each pointer that is passed in stands with its length in bytes, and need not be terminated; NULL
 * with a length of 0 is an empty text. What is passed in is not kept beyond the call. Texts are
 * UTF-8, of at most 1 MiB; a URL has at most 65 536 bytes, a content type 4 096. A pointer that is
 * given out is lent, never to be freed, and its function says for how long. What is lent is immutable
 * and may lie at any alignment.
 *
 *
 * ERRORS
 *
 * A function returns FEEDCORE_OK, FEEDCORE_NONE where there is no such thing (an answer, not a
 * failure), or another status, which is a failure. In that case *error is set to an object that
 * says what happened, where, and what to do; the caller frees it. In every other case *error is set
 * to NULL, so that it may always be freed. A caller that does not want to know passes NULL for
 * `error`. Where too many handles are open for one more, the error is one that the library always
 * has, which says little more than the status. A function that fails has set what it would have
 * returned through other pointers to NULL or zero, and has changed nothing in the store; but where
 * the system refuses to make a change last that readers see already, the status is FEEDCORE_IO and
 * the message says so.
 *
 * Nothing that is passed in ends the process. What does: a pointer that leads nowhere or a length
 * that is too large for it; a system without memory; and a damaged or cut off data file whose pages
 * the system cannot deliver (SIGBUS), as in any program that maps files.
 *
 *
 * THREADS
 *
 *     feedcore_store, feedcore_images   any number of threads at a time
 *     feedcore_reader, feedcore_ingest  one thread at a time, not always the same one; a call that
 *                                       reads or writes the store while another one does is
 *                                       answered with FEEDCORE_MISUSE
 *     feedcore_feeds, feedcore_error    immutable: any number of threads at a time
 *
 * The functions that look at what a reader stands on (feedcore_field, feedcore_element,
 * feedcore_reader_position and the like) take no lock, for that would cost more than they do: a
 * program must not call them while another thread moves the reader.
 *
 * A handle must not be closed while another thread may still call something with it, for what is
 * lent by it goes with it. Threads that read the same feed each open a reader of their own.
 * Callbacks run on the thread that made the call, before it returns. In a callback everything is
 * allowed but to use the reader or the ingest that calls it (unless its function says so), and, in
 * that of an ingest, FEEDCORE_WAIT; both are answered with FEEDCORE_MISUSE. A thread that has an
 * ingest of a feed open and waits for the same feed waits until another thread ends it.
 *
 * In a process that was forked after a store had been opened, its handles, and those that were made
 * from it, are answered with FEEDCORE_FORKED (by functions that return no status, with NULL or 0),
 * and closing them ends nothing that the other process goes on with. Opening the same store once
 * more is answered so, too; others may be opened, and a program that is started by exec opens stores
 * as usual.
 *
 * valgrind takes some code of Swift's compiler for uses of uninitialised values, and has to be given
 * --suppressions=PREFIX/share/feedcore/valgrind.supp.
 *
 *
 * HOW LONG STORES ARE HELD
 *
 * As long as a read transaction of LMDB is open, nothing that was replaced since can be freed, and
 * the file grows with each ingest. No function returns with one open: records are copied into the
 * reader, many at a time, so their bytes are never those of the map and stay as they are whatever
 * the store does. Only feedcore_image_lend lends bytes of the map, for the time of the callback:
 * keep it short, and copy what goes to a slow reader. A reader that is inside a scan holds the lock
 * by which the generation it reads is kept, and a descriptor, until the scan has come to its end,
 * begins anew, or the reader is closed: the space of that one generation, and nothing else, waits for
 * it.
 *
 *
 * VERSIONS
 *
 * Within one FEEDCORE_ABI_VERSION functions, constants and members of structures are added and
 * never changed or removed. Members are added at the end of structures that the library allocates,
 * or that have a member `size`; others do not change.
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

/* Seconds from 1970-01-01T00:00:00Z, where time_t counts from, to 2001-01-01T00:00:00Z, where this
 * library does. */
#define FEEDCORE_REFERENCE_EPOCH 978307200.0

/* What has become of a call. Later versions may have more. */
typedef enum feedcore_status {
  FEEDCORE_OK = 0,
  FEEDCORE_NONE = 1,              /* there is no such record, field or image, or no further one */
  FEEDCORE_MISUSE = 2,            /* a call that the rules of this file forbid */
  FEEDCORE_BAD_HANDLE = 3,        /* NULL, closed, or of another kind */
  FEEDCORE_READ_ONLY = 4,         /* the store was opened for reading alone */
  FEEDCORE_NOT_FOUND = 5,         /* there is no such store, feed or input */
  FEEDCORE_BUSY = 6,              /* someone else is changing the feed, or opening the store */
  FEEDCORE_CANCELLED = 7,         /* given up as a callback asked; nothing of it is left */
  FEEDCORE_CONFLICT = 8,          /* the feed is not what a condition wanted it to be */
  FEEDCORE_PAYLOAD = 9,           /* the input is not JSON, or breaks its contract: see the place */
  FEEDCORE_SEVERAL_KINDS = 10,    /* several inputs hold records of several kinds; not yet given */
  FEEDCORE_TOO_MANY_REJECTED = 11, /* a greater part is bad than allowed; not yet given */
  FEEDCORE_INVALID_NAME = 12,     /* a feed cannot have this name */
  FEEDCORE_INVALID_KIND = 13,     /* no such kind, or records of another one than the feed's */
  FEEDCORE_TOO_LARGE = 14,        /* over a limit, which the message names */
  FEEDCORE_DISK_FULL = 15,        /* the disk is full, or the map can grow no more */
  FEEDCORE_IO = 16,               /* the operating system reported a failure */
  FEEDCORE_PERMISSION = 17,       /* the file system refused access */
  FEEDCORE_DAMAGED = 18,          /* what is stored contradicts itself */
  FEEDCORE_INCOMPATIBLE = 19,     /* a newer version of this library wrote the store */
  FEEDCORE_REPLACED = 20,         /* a restored store has taken its place: begin again */
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

/* The ABI of the library as loaded; a program works with it if it equals FEEDCORE_ABI_VERSION. */
int feedcore_abi_version(void);

/* The version of the library as loaded, such as "0.1.0"; valid for ever. */
const char *feedcore_version(void);

/* A status in words, such as "not found"; valid for ever. */
const char *feedcore_status_text(feedcore_status status);

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Where an input is wrong. Offsets count from 0, lines, columns and records from 1.
 *
 * The pointer consists of the input's own keys, whatever bytes those are, zeros and escape sequences
 * of terminals included: what feedcore_error_message gives can be shown as it is, this cannot. */
typedef struct feedcore_position {
  uint64_t offset;       /* of the offending byte, or of the first one of the token */
  uint64_t line;         /* 0 where the compressed input is at fault: the offset is that in it */
  uint64_t column;       /* in bytes; 0 where line is */
  uint64_t record;       /* 0 where the fault is in none */
  const char *pointer;   /* JSON Pointer (RFC 6901), terminated; into the record in lines of JSON */
  size_t pointer_length;
  const char *reason;    /* what is wrong there, terminated */
  size_t reason_length;
} feedcore_position;

/* The status that the function returned. */
feedcore_status feedcore_error_status(const feedcore_error *error);

/* What happened and what to do, for a person, in one line; terminated, its length in *length unless
 * that is NULL. Lent until the error is freed; "" for what is no error. */
const char *feedcore_error_message(const feedcore_error *error, size_t *length);

/* Where the input is wrong, into *position, whose texts are lent until the error is freed.
 * FEEDCORE_NONE for an error that is not one of an input. */
feedcore_status feedcore_error_position(const feedcore_error *error, feedcore_position *position);

/* Frees an error. */
feedcore_status feedcore_error_free(feedcore_error *error);

/* ---- Stores ---------------------------------------------------------------------------------- */

#define FEEDCORE_READ_WRITE 1u   /* the handle may change the store; without it, it only reads */
#define FEEDCORE_CREATE 2u       /* the same, and makes a store where there is none */
#define FEEDCORE_DURABLE 4u      /* a power cut takes back nothing, of images either; the first
                                    handle of a process decides. A published feed is always safe. */

/* Opens the store in a directory. The path "/dev/null" means a new one that goes with its handle.
 * A reader too has to be allowed to write into the lock files. Handles of the same store in one
 * process share one map. */
feedcore_status feedcore_store_open(
    const char *path, size_t path_length, uint32_t flags, feedcore_store **store,
    feedcore_error **error);

/* Closes a store's handle. The store itself is closed with the last handle that needs it. */
feedcore_status feedcore_store_close(feedcore_store *store);

/* ---- Feeds ----------------------------------------------------------------------------------- */

/* What a store knows of a feed. All texts are terminated and lent like the structure. */
typedef struct feedcore_feed {
  const char *name;
  size_t name_length;
  const char *kind;            /* such as "universities" */
  size_t kind_length;
  uint64_t record_count;
  uint64_t stored_bytes;       /* of its records and indexes */
  uint64_t generation;         /* the number of the ingest that published it; grows */
  double reference_seconds;    /* its timestamp, in seconds since 2001-01-01T00:00:00Z */
  const char *origin;          /* where the records came from */
  size_t origin_length;
  const char *entity_tag;      /* what its server has said of it (ETag, Last-Modified); or NULL */
  size_t entity_tag_length;
  const char *last_modified;
  size_t last_modified_length;
  const char *envelope;        /* what stood around the records, as JSON with an empty array */
  size_t envelope_length;
  uint16_t key_field;          /* the id of the field by which records are looked up */
} feedcore_feed;

/* Lists all feeds by name, as of one moment. */
feedcore_status feedcore_feeds_list(
    feedcore_store *store, feedcore_feeds **feeds, feedcore_error **error);

/* A list of the one feed of a name. FEEDCORE_NONE where there is none. */
feedcore_status feedcore_feeds_find(
    feedcore_store *store, const char *name, size_t name_length, feedcore_feeds **feeds,
    feedcore_error **error);

/* How many feeds are in a list. */
size_t feedcore_feeds_count(const feedcore_feeds *feeds);

/* A feed of a list, lent until the list is freed; NULL if the index is not below the count. */
const feedcore_feed *feedcore_feeds_at(const feedcore_feeds *feeds, size_t index);

/* Frees a list. */
feedcore_status feedcore_feeds_free(feedcore_feeds *feeds);

/* Removes a feed and its records. FEEDCORE_NONE where there is none of this name. `flags`: 0, or
 * FEEDCORE_WAIT to wait while it is being ingested. */
feedcore_status feedcore_feed_delete(
    feedcore_store *store, const char *name, size_t name_length, uint32_t flags,
    feedcore_error **error);

/* What validating a feed has found. */
typedef enum feedcore_validation {
  FEEDCORE_FEED_ABSENT = 0,      /* there is no such feed */
  FEEDCORE_FEED_VALID = 1,       /* it is valid, and was kept */
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
#define FEEDCORE_BOOLEAN 0x11
#define FEEDCORE_INTEGER 0x81
#define FEEDCORE_NUMBER 0x82
#define FEEDCORE_DATE 0x83
#define FEEDCORE_UUID 0xF1

/* A field of a record, lent as long as the reader stands on the record. */
typedef struct feedcore_value {
  uint16_t id;
  uint8_t type;        /* FEEDCORE_TEXT and so on */
  uint8_t is_null;     /* 1 where null stood in the field */
  uint32_t count;      /* FEEDCORE_TEXT_LIST: its elements, see feedcore_element */
  const void *bytes;   /* FEEDCORE_TEXT: UTF-8, not terminated; FEEDCORE_UUID: 16 bytes */
  size_t length;       /* of these bytes */
  int64_t integer;     /* FEEDCORE_INTEGER; FEEDCORE_BOOLEAN: 0 or 1 */
  double number;       /* FEEDCORE_NUMBER; FEEDCORE_DATE: seconds since 2001-01-01T00:00:00Z */
} feedcore_value;

/* A field that the records of a feed have. */
typedef struct feedcore_field_info {
  uint16_t id;
  uint8_t type;
  uint8_t is_optional;   /* 1 where it may be absent or null */
  const char *name;      /* object keys from the record inwards, joined by dots; terminated. NULL
                            for a kind that this library does not know. Valid for ever. */
  size_t name_length;
} feedcore_field_info;

/* Opens a reader of a feed. It stands on no record; feedcore_next begins at the first one. */
feedcore_status feedcore_reader_open(
    feedcore_store *store, const char *name, size_t name_length, feedcore_reader **reader,
    feedcore_error **error);

/* Closes a reader. */
feedcore_status feedcore_reader_close(feedcore_reader *reader);

/* The feed as the reader's scan reads it, or as it was when the reader was opened; and where a
 * look-up has found it replaced by one of another kind since, as it was then, which is also the kind
 * of the record on which the reader stands. Lent until feedcore_rewind, a feedcore_next that begins a
 * scan, or the end of the reader. */
const feedcore_feed *feedcore_reader_feed(const feedcore_reader *reader);

/* How many fields the records have, and each of them: those of the record on which the reader stands,
 * for a feed can be replaced by one of another kind, whose ids have other meanings. FEEDCORE_NONE if
 * the index is not below. */
size_t feedcore_reader_field_count(const feedcore_reader *reader);
feedcore_status feedcore_reader_field(
    const feedcore_reader *reader, size_t index, feedcore_field_info *field);

/* Says which fields will be read, by their ids: a look-up and a step of a scan are the faster the
 * fewer of them are lists. Others are then not there (FEEDCORE_NONE), nor among the reader's fields.
 * `count` 0 stands for all, as it is at first. The reader stands on no record then; a scan begins
 * anew. */
feedcore_status feedcore_reader_select(
    feedcore_reader *reader, const uint16_t *fields, size_t count, feedcore_error **error);

/* Moves to the first record with a key, in the feed as it is published now. FEEDCORE_NONE where
 * there is none; the reader then stands on no record. A scan goes on afterwards where it was.
 *
 * The key of a text is its UTF-8; of a UUID its 16 bytes; of an integer its 8 bytes, big-endian. */
feedcore_status feedcore_get(
    feedcore_reader *reader, const void *key, size_t key_length, feedcore_error **error);

/* Moves to the next record in document order; FEEDCORE_NONE after the last one, and then the next
 * call begins anew. All records of a scan are of one generation, also when the feed is replaced
 * meanwhile. */
feedcore_status feedcore_next(feedcore_reader *reader, feedcore_error **error);

/* Begins a scan of the feed as it is published now, at a record counted from 0. */
feedcore_status feedcore_rewind(
    feedcore_reader *reader, uint64_t position, feedcore_error **error);

/* The place in the feed, counted from 0, of the record on which the reader stands. */
feedcore_status feedcore_reader_position(const feedcore_reader *reader, uint64_t *position);

/* Told of a record that was found. It reads its fields through `reader`, and may do nothing else
 * with it. Returns 0 to go on, anything else to end the search. */
typedef int (*feedcore_visit)(void *context, feedcore_reader *reader);

/* Calls `visit` on each record that has a value in a field: the key field, or one that the ingest
 * was told to index. `field` is its id, or 0 for the key. The whole search sees one moment of the
 * store, which is held as long as it takes. *count, unless NULL, becomes the number of visits. */
feedcore_status feedcore_find(
    feedcore_reader *reader, uint16_t field, const void *value, size_t value_length,
    feedcore_visit visit, void *context, uint64_t *count, feedcore_error **error);

/* A field of the record on which the reader stands, by its id or its name. FEEDCORE_OK also for
 * null (`is_null`); FEEDCORE_NONE where the record lacks the field, or there is no record or no
 * field of this name. *value is then all zero. Costs some twenty nanoseconds; a name
 * some more. */
feedcore_status feedcore_field(
    const feedcore_reader *reader, uint16_t field, feedcore_value *value);
feedcore_status feedcore_field_named(
    const feedcore_reader *reader, const char *name, size_t name_length, feedcore_value *value);

/* An element of a list field, UTF-8, not terminated, lent as long as the reader stands on the
 * record. FEEDCORE_NONE if the index is not below the count. */
feedcore_status feedcore_element(
    const feedcore_reader *reader, uint16_t field, uint32_t index, const char **bytes,
    size_t *length);

/* ---- Ingesting ------------------------------------------------------------------------------- */

#define FEEDCORE_APPEND 1u              /* adds the records that the feed does not have */
#define FEEDCORE_WAIT 2u                /* waits while the feed is changed, else it is busy */
#define FEEDCORE_LENIENT_DATES 4u       /* takes dates that are not ISO 8601 */
#define FEEDCORE_REPLACE_SURROGATES 8u  /* half of a surrogate pair is U+FFFD, not an error */
#define FEEDCORE_IF_ABSENT 16u          /* only where there is no feed of this name */
#define FEEDCORE_IF_GENERATION 32u      /* only where the feed's generation is `generation` */
#define FEEDCORE_TIMED 64u              /* it was current at `reference_seconds`, not now */

/* How far an ingest has come. */
typedef struct feedcore_progress {
  uint64_t bytes;         /* read, decompressed */
  uint64_t input_bytes;   /* read, as they lie there */
  uint64_t total_bytes;   /* as they lie there, or 0 where that is not known */
  uint64_t records;
} feedcore_progress;

/* Called with each push; of a descriptor with each piece that was read, half a megabyte at most, and
 * every 50 ms while nothing comes; and now and then while a call waits for the feed, or writes what
 * is left. Returns 0 to go on, anything else to cancel. A child that is forked in it must end, or
 * exec, and not return. */
typedef int (*feedcore_on_progress)(void *context, const feedcore_progress *progress);

/* What an ingest does. Fill it with zeros, which mean the defaults, and set `size`:
 * feedcore_ingest_options options = FEEDCORE_INGEST_OPTIONS_INIT; */
typedef struct feedcore_ingest_options {
  size_t size;                /* sizeof(feedcore_ingest_options) */
  uint32_t flags;             /* FEEDCORE_APPEND and so on */
  uint32_t lanes;             /* threads that prove records; 0 for one a processor, up to 8 */
  const char *feed;           /* the feed's name; by default that of its kind */
  size_t feed_length;
  const char *kind;           /* universities, feed, comments, characters, news; by default the */
  size_t kind_length;         /* one that the first record fits */
  const char *origin;         /* what errors and the feed's description call the input: "C" if NULL */
  size_t origin_length;
  const char *indexed_fields; /* names of fields to index beside the key, separated by commas; an
                                 append keeps the feed's too, what replaces it has these alone */
  size_t indexed_fields_length;
  uint64_t allowed_rejects;   /* bad records to pass over; the next one is FEEDCORE_PAYLOAD */
  uint64_t generation;        /* see FEEDCORE_IF_GENERATION */
  double reference_seconds;   /* see FEEDCORE_TIMED */
  feedcore_on_progress progress;
  void *context;              /* for `progress` */
} feedcore_ingest_options;

#ifdef __cplusplus
#define FEEDCORE_INGEST_OPTIONS_INIT \
  { sizeof(feedcore_ingest_options), 0, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0, 0, 0.0, NULL, NULL }
#else
#define FEEDCORE_INGEST_OPTIONS_INIT { .size = sizeof(feedcore_ingest_options) }
#endif

/* What an ingest has done. */
typedef struct feedcore_report {
  uint64_t records;      /* read and kept in this ingest */
  uint64_t rejected;     /* refused and passed over */
  uint64_t bytes;        /* read, decompressed */
  uint64_t feed_records; /* of the feed, after it */
  uint64_t generation;   /* that it was published as */
  char feed[72];         /* the feed's name, terminated */
} feedcore_report;

/* Reads a descriptor to its end into a feed and publishes it whole and durably, or changes nothing.
 * It is read from where it stands, which moves, and stays the caller's. What it holds may be packed
 * by gzip or zstd, told by its first bytes; JSON and line-delimited JSON are told apart too. Where
 * the ingest fails, somewhat more may have been read than was looked at. Memory does not grow with
 * the input. `options` may be NULL; so may `report`. */
feedcore_status feedcore_ingest_fd(
    feedcore_store *store, int descriptor, const feedcore_ingest_options *options,
    feedcore_report *report, feedcore_error **error);

/* Begins an ingest whose bytes are pushed, uncompressed, in pieces of any size. Nothing is asked of
 * the store yet: the feed is taken when records enough for a write have come, after a megabyte or
 * two, or else by the finish. Only then is it told that the feed is busy, or that a condition on it
 * does not hold; and from then on other threads and processes that change it wait, or are told that
 * it is busy, until this ingest is ended by feedcore_ingest_finish or feedcore_ingest_cancel. Of two
 * that were begun before, each is published in its turn. `options` may be NULL. */
feedcore_status feedcore_ingest_begin(
    feedcore_store *store, const feedcore_ingest_options *options, feedcore_ingest **ingest,
    feedcore_error **error);

/* Takes the next bytes; waits for the disk now and then, so that memory is bounded. After a failure
 * every further push and the finish fail alike, and nothing will have been published. A call that
 * another one with the same handle keeps out has not reached the ingest, which goes on. */
feedcore_status feedcore_ingest_push(
    feedcore_ingest *ingest, const void *bytes, size_t length, feedcore_error **error);

/* Says that the document has ended, publishes it whole, and returns when it is safe from a power
 * cut; a document without its end is an error. Closes the ingest whatever becomes of it. */
feedcore_status feedcore_ingest_finish(
    feedcore_ingest *ingest, feedcore_report *report, feedcore_error **error);

/* Gives an ingest up, of which nothing is left then, and closes it. */
feedcore_status feedcore_ingest_cancel(feedcore_ingest *ingest);

/* ---- Proving --------------------------------------------------------------------------------- */

/* What proving an input has shown. */
typedef struct feedcore_check_report {
  uint64_t records;   /* that were proved: all, or those before the error */
  char kind[72];      /* terminated; "" where it did not become known */
} feedcore_check_report;

/* Proves that an input follows the contract of a kind, or of the one that its first record fits,
 * and stores nothing. FEEDCORE_PAYLOAD if not; the error says where. The report is filled in both
 * cases, and may be NULL. A descriptor is read as by feedcore_ingest_fd; bytes are uncompressed. */
feedcore_status feedcore_check_fd(
    int descriptor, const char *kind, size_t kind_length, feedcore_check_report *report,
    feedcore_error **error);
feedcore_status feedcore_check(
    const void *bytes, size_t length, const char *kind, size_t kind_length,
    feedcore_check_report *report, feedcore_error **error);

/* ---- Images ---------------------------------------------------------------------------------- */

/* What is known of an image. Texts are terminated and lent like the structure. */
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

/* Takes a piece of an image: `length` bytes at `bytes`, which begin at `offset` of it. All of it is
 * lent for this call alone. Returns 0 to go on, anything else to stop. */
typedef int (*feedcore_take)(
    void *context, const feedcore_image *image, uint64_t offset, const void *bytes, size_t length);

/* Opens the images of a store, which lie beside its feeds, in a directory. `byte_cap` is what they
 * may occupy, at least 1 MiB; 0 leaves it as it is, or 1 GiB in a new one. A cap other than 0 needs
 * FEEDCORE_READ_WRITE. */
feedcore_status feedcore_images_open(
    const char *path, size_t path_length, uint32_t flags, uint64_t byte_cap,
    feedcore_images **images, feedcore_error **error);

/* Closes a handle of images. */
feedcore_status feedcore_images_close(feedcore_images *images);

/* Lends an image's bytes where they lie in the map, without a copy: in one piece where it is small,
 * else in several, in order, each of at most 260 KiB; `take` is told how long each is. As long as
 * the call runs, pages that are freed meanwhile cannot be used again, so `take` should be quick. It
 * is not called for an image without bytes.
 * FEEDCORE_NONE where there is no image of this URL, or it has expired; FEEDCORE_CANCELLED where
 * `take` stopped. */
feedcore_status feedcore_image_lend(
    feedcore_images *images, const char *url, size_t url_length, feedcore_take take, void *context,
    feedcore_error **error);

/* Copies an image into a buffer. *length becomes its length; where that is more than `capacity`,
 * nothing is copied and the status is FEEDCORE_TOO_LARGE. */
feedcore_status feedcore_image_copy(
    feedcore_images *images, const char *url, size_t url_length, void *buffer, size_t capacity,
    size_t *length, feedcore_error **error);

/* Stores an image in the place of one with the same URL. Others that nobody asks for leave where
 * the cap demands it. `content_type` may be NULL; `expiry_seconds` is infinity for never. */
feedcore_status feedcore_image_insert(
    feedcore_images *images, const char *url, size_t url_length, const void *bytes, size_t length,
    const char *content_type, size_t content_type_length, double expiry_seconds,
    feedcore_error **error);

/* Removes an image. FEEDCORE_NONE where there is none of this URL. */
feedcore_status feedcore_image_remove(
    feedcore_images *images, const char *url, size_t url_length, feedcore_error **error);

#ifdef __cplusplus
}
#endif

#endif
