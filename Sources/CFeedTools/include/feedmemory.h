#pragma once

#include <stddef.h>

/// Has the allocator return every block of at least this size to the system when it is freed, and
/// keep 8 MiB of smaller ones.
///
/// glibc raises its threshold for that with the first large block freed, up to 32 MiB, and keeps
/// later ones in its heap: a record of 15 MB would then stay in memory several times over. But what
/// an ingest frees with one commit it fills again for the next, and each page of it that the system
/// gets back it has to clear before. A setting of the whole process, so for programs, not for
/// libraries. Does nothing elsewhere.
void feedtools_return_large_blocks(size_t size);

/// Has all threads that are started from now on share one part of the allocator's memory, so that
/// what one has freed serves another. For programs of which few threads allocate at a time.
///
/// glibc gives each thread a part of its own, up to eight a processor, and keeps in each what that
/// thread had at its most. Does nothing elsewhere.
void feedtools_share_memory(void);
