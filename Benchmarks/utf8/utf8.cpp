// Compares the UTF-8 validator of input validation with simdjson's, alternately on the same bytes.
// Both validate 64 KiB at a time, so neither waits for memory. Input validation reads slices too.
//
// Prints one line for each text; exits with 1 if ours is slower for any, or if they disagree.

#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
#include "feedscan.h"
}

namespace {

constexpr size_t piece_size = 64 << 10;
constexpr size_t text_size = 16 << 20;
constexpr int rounds = 15;

using validator = bool (*)(std::string_view);

bool ours(std::string_view text) {
  static const feedscan_kernel kernel = feedscan_best_kernel();
  return feedscan_is_utf8(reinterpret_cast<const uint8_t *>(text.data()), text.size(), kernel);
}

bool simdjsons(std::string_view text) { return simdjson::validate_utf8(text); }

// Pieces that end between two characters.
std::vector<std::string_view> pieces(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    size_t size = std::min(piece_size, text.size());
    while (size < text.size() && size > 0 && (text[size] & 0xC0) == 0x80) size--;
    if (size == 0) size = std::min(piece_size, text.size());
    result.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return result;
}

// Each piece is validated four times: first from memory, then from the cache.
double seconds(validator is_utf8, const std::vector<std::string_view> &pieces, size_t &valid) {
  auto start = std::chrono::steady_clock::now();
  for (std::string_view piece : pieces)
    for (int time = 0; time < 4; time++) valid += is_utf8(piece);
  std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return passed.count() / 4;
}

bool measure(const std::string &name, const std::string &text) {
  std::vector<std::string_view> cut = pieces(text);
  double best[2] = {1e9, 1e9};
  size_t valid[2] = {0, 0};
  for (int round = 0; round < rounds; round++) {
    best[0] = std::min(best[0], seconds(ours, cut, valid[0]));
    best[1] = std::min(best[1], seconds(simdjsons, cut, valid[1]));
  }
  double bytes = double(text.size()) / 1e9;
  std::printf(
    "%-40s %6.1f GB/s, simdjson %6.1f GB/s, ratio %.2f%s\n", name.c_str(), bytes / best[0],
    bytes / best[1], best[1] / best[0], valid[0] == valid[1] ? "" : ", THEY DISAGREE");
  return valid[0] == valid[1] && best[0] <= best[1];
}

std::string repeated(std::string_view text) {
  std::string result;
  while (result.size() < text_size) result += text;
  return result;
}

// The first 16 MiB of a file.
std::string contents(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(text_size, '\0');
  file.read(text.data(), std::streamsize(text.size()));
  text.resize(size_t(file.gcount()));
  return text.empty() ? text : repeated(text).substr(0, text_size);
}

} // namespace

int main(int count, char **arguments) {
  bool is_fast = true;
  std::printf(
    "kernel %d, simdjson's is %s\n", feedscan_best_kernel(),
    simdjson::get_active_implementation()->name().c_str());
  is_fast &= measure("ASCII", repeated("{\"name\": \"a university\", \"country\": \"Brazil\"}, "));
  is_fast &= measure("Portuguese", repeated("A rápida raposa marrom não pula sobre o cão. "));
  is_fast &= measure("Greek and Russian", repeated("Τα πάντα ρεῖ. Съешь ещё этих булок. "));
  is_fast &= measure("Hindi and Japanese", repeated("हिन्दी में पाठ। 日本語のテキスト。"));
  is_fast &= measure("emoji", repeated("😀😃😄😁 😆😅🤣😂"));
  for (int i = 1; i < count; i++) {
    std::string text = contents(arguments[i]);
    if (text.empty()) {
      std::fprintf(stderr, "%s: cannot be read, or is empty\n", arguments[i]);
      return 66;
    }
    is_fast &= measure(arguments[i], text);
  }
  return is_fast ? 0 : 1;
}
