#pragma once

#include "feedscan.h"

// Shared by the kernels: the scalar twins. They also handle the bytes that fill no block, and find
// the exact byte once a block has shown a fault.

/// Validates byte by byte from `at`, which is between two characters. Stops at a fault, at `count`,
/// or at the first boundary at or after `until`.
feedscan_validate_result feedscan_validate_scalar(
  const uint8_t *bytes, size_t at, size_t until, size_t count);

bool feedscan_is_utf8_scalar(const uint8_t *bytes, size_t count);

feedscan_split_result feedscan_split_scalar(
  feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count,
  uint32_t *marks, size_t capacity);

/// Continues after the marks that another kernel has found.
feedscan_lines_result feedscan_find_lines_scalar(
  const uint8_t *bytes, feedscan_lines_result found, size_t count, uint32_t *marks,
  size_t capacity);

void feedscan_find_specials_scalar(
  const uint8_t *bytes, size_t from, size_t to, uint64_t *specials, size_t first_special);

size_t feedscan_skip_scalar(const uint8_t *bytes, size_t from, size_t count);

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define FEEDSCAN_HAS_X86 1
#else
#define FEEDSCAN_HAS_X86 0
#endif

// Only on little-endian machines, the bits of a mask are in the order of the bytes in memory.
#if defined(__aarch64__) && defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FEEDSCAN_HAS_NEON 1
#else
#define FEEDSCAN_HAS_NEON 0
#endif

#define FEEDSCAN_DECLARE_KERNEL(name)                                                     \
  feedscan_validate_result feedscan_validate_##name(const uint8_t *bytes, size_t count);  \
  bool feedscan_is_utf8_##name(const uint8_t *bytes, size_t count);                       \
  feedscan_split_result feedscan_split_##name(                                            \
    feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count,         \
    uint32_t *marks, size_t capacity);                                                    \
  feedscan_lines_result feedscan_find_lines_##name(                                       \
    const uint8_t *bytes, size_t from, size_t count, uint32_t *marks, size_t capacity);   \
  feedscan_scan_result feedscan_scan_##name(                                              \
    feedscan_splitter *splitter, const uint8_t *bytes, size_t from, size_t count,         \
    uint32_t *marks, size_t capacity, uint64_t *specials, size_t first_special,           \
    bool for_lines);                                                                      \
  void feedscan_find_specials_##name(                                                     \
    const uint8_t *bytes, size_t from, size_t to, uint64_t *specials,                     \
    size_t first_special);                                                                \
  size_t feedscan_strip_##name(const uint8_t *bytes, size_t count, uint8_t *output);      \
  size_t feedscan_skip_##name(const uint8_t *bytes, size_t from, size_t count);

#if FEEDSCAN_HAS_X86
FEEDSCAN_DECLARE_KERNEL(avx2)
FEEDSCAN_DECLARE_KERNEL(avx512)
#endif
#if FEEDSCAN_HAS_NEON
FEEDSCAN_DECLARE_KERNEL(neon)
#endif
