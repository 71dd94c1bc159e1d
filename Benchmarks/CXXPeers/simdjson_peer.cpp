#include "cxxpeers.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

// Must match the build of the library, since the layout of its types depends on it.
#define SIMDJSON_THREADS_ENABLED 1
#include <simdjson.h>

using namespace simdjson;

struct peers_simdjson {
  dom::parser parser;
  std::unique_ptr<char, void (*)(void *)> text{nullptr, std::free};
  size_t capacity = 0, length = 0;

  bool read(const char *path);
  bool count_records(dom::element document, const char *key, size_t &records);
  bool parse_lines(size_t &records);
};

bool peers_simdjson::read(const char *path) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path, "rbe"), std::fclose);
  if (!file || std::fseek(file.get(), 0, SEEK_END)) return false;
  long size = std::ftell(file.get());
  if (size < 0) return false;
  std::rewind(file.get());
  length = static_cast<size_t>(size);
  if (capacity < length) {
    text.reset(static_cast<char *>(std::malloc(length + SIMDJSON_PADDING)));
    capacity = text ? length : 0;
    if (!text) return false;
  }
  return std::fread(text.get(), 1, length, file.get()) == length;
}

bool peers_simdjson::count_records(dom::element document, const char *key, size_t &records) {
  dom::array array;
  auto error = key ? document[key].get(array) : document.get(array);
  if (error) return false;
  // Not `size()`, which stops counting at 0xFFFFFF.
  for (auto element : array) {
    (void)element;
    records++;
  }
  return true;
}

bool peers_simdjson::parse_lines(size_t &records) {
  parser.threaded = false;
  dom::document_stream stream;
  const char *bytes = text.get();
  if (parser.parse_many(bytes, length, dom::DEFAULT_BATCH_SIZE).get(stream)) return false;
  for (auto document : stream) {
    if (document.error()) return false;
    records++;
  }
  return stream.truncated_bytes() == 0;
}

peers_simdjson *peers_simdjson_make() { return new (std::nothrow) peers_simdjson; }

bool peers_simdjson_parse(
    peers_simdjson *parser, const char *path, bool lines, const char *key, peers_work *work) {
  *work = {};
  if (!parser->read(path)) return false;
  work->bytes = parser->length;
  if (lines) return parser->parse_lines(work->records);
  dom::element document;
  return !parser->parser.parse(parser->text.get(), parser->length, false).get(document) &&
         parser->count_records(document, key, work->records);
}

void peers_simdjson_free(peers_simdjson *parser) { delete parser; }
