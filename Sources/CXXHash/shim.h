#pragma once

#include <xxhash.h>

#include <stddef.h>

/// Reads a byte of each line of the cache, in order, so that the processor fetches what follows
/// ahead: explicit prefetches gained a fifth of that.
static inline void feedcore_touch(const void *bytes, size_t count) {
  unsigned char sum = 0;
  for (size_t offset = 0; offset < count; offset += 64) sum += ((const unsigned char *)bytes)[offset];
  // Without a use the loop would be left out.
  __asm__ volatile("" : : "r"(sum));
}

/// Has the processor fetch the line of the cache at an address, and does not wait for it. Nothing is
/// read: any address will do.
static inline void feedcore_prefetch(const void *address) { __builtin_prefetch(address); }
