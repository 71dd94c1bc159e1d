#pragma once

#include <stddef.h>

/// Makes the allocator return every block of at least this size to the system when it is freed, and
/// keep 8 MiB of smaller blocks.
///
/// glibc raises its threshold with the first large block freed, up to 32 MiB, and keeps later
/// blocks in its heap. A record of 15 MB would then stay in memory several times. Smaller blocks
/// are kept, because an ingest frees them with one commit and needs them for the next, and the
/// system has to clear every page that it gets back. The setting applies to the whole process, so
/// it is for programs, not for libraries. Does nothing on other systems.
void feedtools_return_large_blocks(size_t size);

/// Makes all threads started later share one arena of the allocator, so that memory freed by one
/// thread serves another. For programs in which few threads allocate at a time.
///
/// glibc gives threads their own arenas, up to eight per processor, and each arena keeps its peak
/// size. Does nothing on other systems.
void feedtools_share_memory(void);
