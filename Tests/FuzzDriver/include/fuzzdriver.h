#pragma once

#include <stddef.h>
#include <stdint.h>

/// Runs `target` under libFuzzer with libFuzzer's own arguments and returns its exit status, or
/// -1 if this binary was linked without libFuzzer.
int fuzzdriver_run(
  int argc, char *_Nullable *_Nonnull argv,
  int (*_Nonnull target)(const uint8_t *_Nullable bytes, size_t count));
