#pragma once

#include <xxhash.h>

// Declares the functions a second time, inline and with the prefix XXH_INLINE_. Swift sees both.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stddef.h>
#include <stdint.h>

/// XXH3-64 with seed 0 of a short input such as a key, for which a call into the library takes as
/// long as the hash.
static inline uint64_t feedcore_short_hash(const void *bytes, size_t count) {
  return XXH_INLINE_XXH3_64bits(bytes, count);
}

/// Reads a byte of each cache line, in order, so that the processor prefetches the following lines.
/// Explicit prefetches gained a fifth of that.
static inline void feedcore_touch(const void *bytes, size_t count) {
  unsigned char sum = 0;
  for (size_t offset = 0; offset < count; offset += 64) sum += ((const unsigned char *)bytes)[offset];
  // Without a use the compiler would remove the loop.
  __asm__ volatile("" : : "r"(sum));
}

/// Prefetches the cache line at an address without waiting for it. It reads nothing, so any address
/// is allowed.
static inline void feedcore_prefetch(const void *address) { __builtin_prefetch(address); }
