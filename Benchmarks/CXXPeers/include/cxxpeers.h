#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a parser has gone through.
typedef struct {
  size_t bytes;
  /// Objects that are the elements of the payload's array, or the values of NDJSON.
  size_t records;
} peers_work;

/// simdjson's DOM parser and the memory that the document is read into. It needs all of a document
/// in memory, then proves the whole of it, UTF-8 included, and writes every value to its tape,
/// numbers converted and strings unescaped, by the best kernel of the processor, chosen at run
/// time. (Its on-demand API proves only the values that a program asks for.)
typedef struct peers_simdjson peers_simdjson;

/// Null where there is no memory. Free it with `peers_simdjson_free`.
peers_simdjson *peers_simdjson_make(void);

/// Reads a file whole and parses it. What memory it takes it keeps for the next one.
///
/// With `lines` the file is read as NDJSON, by `parse_many` without a thread of its own. `key` is
/// that of the records' array, or null where the document is the array. Returns false if the file
/// cannot be read or simdjson refuses it.
bool peers_simdjson_parse(
    peers_simdjson *parser, const char *path, bool lines, const char *key, peers_work *work);

void peers_simdjson_free(peers_simdjson *parser);

/// Parses a file with RapidJSON's SAX reader, as a stream with a buffer of 1 MiB. It proves the
/// document and its UTF-8 (`kParseValidateEncodingFlag`), unescapes strings and converts numbers;
/// the handler counts objects and drops everything.
///
/// `depth` is how deep the records stand: 1 for the document itself. With `lines` the file is read
/// as NDJSON. Returns false if the file cannot be read or RapidJSON refuses it.
bool peers_parse_with_rapidjson(const char *path, bool lines, size_t depth, peers_work *work);

#ifdef __cplusplus
}
#endif
