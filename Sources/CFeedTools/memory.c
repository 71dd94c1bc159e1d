#include "feedmemory.h"

#include <limits.h>

#ifdef __linux__
#include <malloc.h>
#endif

void feedtools_return_large_blocks(size_t size) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, size < INT_MAX ? (int)size : INT_MAX);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
#else
  (void)size;
#endif
}

void feedtools_share_memory(void) {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
#endif
}
