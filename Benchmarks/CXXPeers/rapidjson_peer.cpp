#include "cxxpeers.h"

#include <cstdio>
#include <memory>
#include <vector>

#include <rapidjson/filereadstream.h>
#include <rapidjson/reader.h>

namespace {

struct Counter : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Counter> {
  size_t depth = 0, record_depth, records = 0;

  explicit Counter(size_t record_depth) : record_depth(record_depth) {}

  bool StartObject() {
    if (++depth == record_depth) records++;
    return true;
  }
  bool EndObject(rapidjson::SizeType) {
    depth--;
    return true;
  }
  bool StartArray() {
    depth++;
    return true;
  }
  bool EndArray(rapidjson::SizeType) {
    depth--;
    return true;
  }
};

constexpr unsigned one_document = rapidjson::kParseValidateEncodingFlag;
constexpr unsigned many_documents = one_document | rapidjson::kParseStopWhenDoneFlag;

bool is_space(char byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

bool parse_lines(rapidjson::FileReadStream &stream, Counter &counter) {
  rapidjson::Reader reader;
  for (;;) {
    while (is_space(stream.Peek())) stream.Take();
    if (stream.Peek() == '\0') return true;
    if (reader.Parse<many_documents>(stream, counter).IsError()) return false;
  }
}

}  // namespace

bool peers_parse_with_rapidjson(const char *path, bool lines, size_t depth, peers_work *work) {
  *work = {};
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path, "rbe"), std::fclose);
  if (!file) return false;
  std::vector<char> buffer(1 << 20);
  rapidjson::FileReadStream stream(file.get(), buffer.data(), buffer.size());
  Counter counter(depth);
  rapidjson::Reader reader;
  bool done = lines ? parse_lines(stream, counter)
                    : !reader.Parse<one_document>(stream, counter).IsError();
  work->bytes = stream.Tell();
  work->records = counter.records;
  return done && !std::ferror(file.get());
}
