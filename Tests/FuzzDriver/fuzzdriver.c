#include "fuzzdriver.h"

// Weak, so that the same sources build with libFuzzer and without it.
extern int LLVMFuzzerRunDriver(
  int *argc, char ***argv, int (*target)(const uint8_t *bytes, size_t count))
  __attribute__((weak));

int fuzzdriver_run(int argc, char **argv, int (*target)(const uint8_t *bytes, size_t count)) {
  if (!LLVMFuzzerRunDriver) return -1;
  return LLVMFuzzerRunDriver(&argc, &argv, target);
}
