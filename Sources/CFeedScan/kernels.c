#include "kernels.h"

feedscan_validate_result feedscan_validate(
  const uint8_t *bytes, size_t count, feedscan_kernel kernel) {
  switch (kernel) {
#if FEEDSCAN_HAS_X86
  case FEEDSCAN_AVX2: return feedscan_validate_avx2(bytes, count);
  case FEEDSCAN_AVX512: return feedscan_validate_avx512(bytes, count);
#endif
#if FEEDSCAN_HAS_NEON
  case FEEDSCAN_NEON: return feedscan_validate_neon(bytes, count);
#endif
  default: return feedscan_validate_scalar(bytes, 0, count, count);
  }
}

bool feedscan_is_utf8(const uint8_t *bytes, size_t count, feedscan_kernel kernel) {
  switch (kernel) {
#if FEEDSCAN_HAS_X86
  case FEEDSCAN_AVX2: return feedscan_is_utf8_avx2(bytes, count);
  case FEEDSCAN_AVX512: return feedscan_is_utf8_avx512(bytes, count);
#endif
#if FEEDSCAN_HAS_NEON
  case FEEDSCAN_NEON: return feedscan_is_utf8_neon(bytes, count);
#endif
  default: return feedscan_is_utf8_scalar(bytes, count);
  }
}

feedscan_split_result feedscan_split(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count,
  uint32_t *marks, size_t capacity, feedscan_kernel kernel) {
  switch (kernel) {
#if FEEDSCAN_HAS_X86
  case FEEDSCAN_AVX2:
    return feedscan_split_avx2(splitter, bytes, from, count, marks, capacity);
  case FEEDSCAN_AVX512:
    return feedscan_split_avx512(splitter, bytes, from, count, marks, capacity);
#endif
#if FEEDSCAN_HAS_NEON
  case FEEDSCAN_NEON:
    return feedscan_split_neon(splitter, bytes, from, count, marks, capacity);
#endif
  default: return feedscan_split_scalar(splitter, bytes, from, count, marks, capacity);
  }
}

feedscan_lines_result feedscan_find_lines(
  const uint8_t *bytes, size_t from, size_t count, uint32_t *marks, size_t capacity,
  feedscan_kernel kernel) {
  switch (kernel) {
#if FEEDSCAN_HAS_X86
  case FEEDSCAN_AVX2: return feedscan_find_lines_avx2(bytes, from, count, marks, capacity);
  case FEEDSCAN_AVX512: return feedscan_find_lines_avx512(bytes, from, count, marks, capacity);
#endif
#if FEEDSCAN_HAS_NEON
  case FEEDSCAN_NEON: return feedscan_find_lines_neon(bytes, from, count, marks, capacity);
#endif
  default:
    return feedscan_find_lines_scalar(
      bytes, (feedscan_lines_result){from, 0}, count, marks, capacity);
  }
}

feedscan_scan_result feedscan_scan(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count, uint32_t *marks,
  size_t capacity, uint64_t *specials, size_t first_special, bool for_lines,
  feedscan_kernel kernel) {
  switch (kernel) {
#if FEEDSCAN_HAS_X86
  case FEEDSCAN_AVX2:
    return feedscan_scan_avx2(
      splitter, bytes, from, count, marks, capacity, specials, first_special, for_lines);
  case FEEDSCAN_AVX512:
    return feedscan_scan_avx512(
      splitter, bytes, from, count, marks, capacity, specials, first_special, for_lines);
#endif
#if FEEDSCAN_HAS_NEON
  case FEEDSCAN_NEON:
    return feedscan_scan_neon(
      splitter, bytes, from, count, marks, capacity, specials, first_special, for_lines);
#endif
  // One pass in plain C would save nothing.
  default: return (feedscan_scan_result){from, 0, 0, 0};
  }
}

void feedscan_find_specials(
  const uint8_t *bytes, size_t from, size_t to, uint64_t *specials, size_t first_special,
  feedscan_kernel kernel) {
  switch (kernel) {
#if FEEDSCAN_HAS_X86
  case FEEDSCAN_AVX2: return feedscan_find_specials_avx2(bytes, from, to, specials, first_special);
  case FEEDSCAN_AVX512:
    return feedscan_find_specials_avx512(bytes, from, to, specials, first_special);
#endif
#if FEEDSCAN_HAS_NEON
  case FEEDSCAN_NEON: return feedscan_find_specials_neon(bytes, from, to, specials, first_special);
#endif
  default: feedscan_find_specials_scalar(bytes, from, to, specials, first_special);
  }
}

size_t feedscan_strip(
  const uint8_t *bytes, size_t count, uint8_t *output, feedscan_kernel kernel) {
  switch (kernel) {
#if FEEDSCAN_HAS_X86
  case FEEDSCAN_AVX2: return feedscan_strip_avx2(bytes, count, output);
  case FEEDSCAN_AVX512: return feedscan_strip_avx512(bytes, count, output);
#endif
#if FEEDSCAN_HAS_NEON
  case FEEDSCAN_NEON: return feedscan_strip_neon(bytes, count, output);
#endif
  default: {
    feedscan_strip_state state = {false, false};
    return feedscan_strip_rest(&state, bytes, count, output);
  }
  }
}

#if FEEDSCAN_HAS_X86

static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
      && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")
      && __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("pclmul");
}

#endif

bool feedscan_has_kernel(feedscan_kernel kernel) {
  switch (kernel) {
  case FEEDSCAN_SCALAR: return true;
#if FEEDSCAN_HAS_X86
  case FEEDSCAN_AVX2:
    __builtin_cpu_init();
    return has_avx2();
  case FEEDSCAN_AVX512:
    __builtin_cpu_init();
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
#endif
#if FEEDSCAN_HAS_NEON
  case FEEDSCAN_NEON: return true;
#endif
  default: return false;
  }
}

feedscan_kernel feedscan_best_kernel(void) {
  static const feedscan_kernel fastest_first[] = {FEEDSCAN_AVX512, FEEDSCAN_AVX2, FEEDSCAN_NEON};
  for (size_t i = 0; i < sizeof fastest_first / sizeof *fastest_first; i++) {
    if (feedscan_has_kernel(fastest_first[i])) return fastest_first[i];
  }
  return FEEDSCAN_SCALAR;
}

size_t feedscan_skip(
  const uint8_t *bytes, size_t from, size_t count, feedscan_kernel kernel) {
  switch (kernel) {
#if FEEDSCAN_HAS_X86
  case FEEDSCAN_AVX2: return feedscan_skip_avx2(bytes, from, count);
  case FEEDSCAN_AVX512: return feedscan_skip_avx512(bytes, from, count);
#endif
#if FEEDSCAN_HAS_NEON
  case FEEDSCAN_NEON: return feedscan_skip_neon(bytes, from, count);
#endif
  default: return feedscan_skip_scalar(bytes, from, count);
  }
}
