#include "feedmemory.h"

#ifdef __linux__
#include <malloc.h>
#endif

void feedtools_return_large_blocks(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}
