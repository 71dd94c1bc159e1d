#include "kernels.h"

size_t feedscan_skip_scalar(const uint8_t *bytes, size_t from, size_t count) {
  size_t depth = 0;
  bool in_string = false;
  for (size_t at = from; at < count; at++) {
    switch (bytes[at]) {
    case '\\': at += in_string; break;
    case '"': in_string = !in_string; break;
    case '{':
    case '[': depth += !in_string; break;
    case '}':
    case ']':
      if (!in_string && --depth == 0) return at + 1;
      break;
    default: break;
    }
  }
  return count + 1;
}
