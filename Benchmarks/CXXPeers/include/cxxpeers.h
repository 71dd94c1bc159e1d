#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The amount of data that a parser read.
typedef struct {
  size_t bytes;
  /// The objects in the payload's array, or the values of NDJSON.
  size_t records;
} peers_work;

/// simdjson's DOM parser and the memory that the document is read into. It needs the whole document
/// in memory and validates it, UTF-8 included. It writes every value to its tape, with converted
/// numbers and unescaped strings. At run time it chooses the best kernel for the processor. (Its
/// on-demand API only validates the values that a program asks for.)
typedef struct peers_simdjson peers_simdjson;

/// Returns null if memory is missing. Free it with `peers_simdjson_free`.
peers_simdjson *peers_simdjson_make(void);

/// Reads a whole file and parses it. Keeps the memory for the next file.
///
/// With `lines` the file is read as NDJSON, by `parse_many` without a second thread. `key` is the
/// key of the records' array, or null if the document is the array. Returns false if the file
/// cannot be read or simdjson refuses it.
bool peers_simdjson_parse(
    peers_simdjson *parser, const char *path, bool lines, const char *key, peers_work *work);

void peers_simdjson_free(peers_simdjson *parser);

/// Parses a file with RapidJSON's SAX reader, as a stream with a buffer of 1 MiB. It validates
/// the document and its UTF-8 (`kParseValidateEncodingFlag`), unescapes strings and converts
/// numbers. The handler counts objects and drops everything.
///
/// `depth` is the depth of the records: 1 for the document itself. With `lines` the file is read
/// as NDJSON. Returns false if the file cannot be read or RapidJSON refuses it.
bool peers_parse_with_rapidjson(const char *path, bool lines, size_t depth, peers_work *work);

#ifdef __cplusplus
}
#endif
