#include "kernels.h"

size_t feedscan_strip_rest(
  feedscan_strip_state *state, const uint8_t *bytes, size_t count, uint8_t *output) {
  uint8_t *out = output;
  for (size_t i = 0; i < count; i++) {
    uint8_t c = bytes[i];
    if (!state->in_string && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) continue;
    *out++ = c;
    if (state->escaped) {
      state->escaped = false;
    } else if (c == '\\') {
      state->escaped = true;
    } else if (c == '"') {
      state->in_string = !state->in_string;
    }
  }
  return (size_t)(out - output);
}
