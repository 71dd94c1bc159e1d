#ifndef CMemoryFile_h
#define CMemoryFile_h

#include <stddef.h>

/// Makes a file without a name, in memory, that holds these bytes and can never be changed, and
/// closes when another program is started. Here because the module of the C library in Swift leaves
/// `memfd_create` out.
///
/// Returns its descriptor, which is the caller's, or -1 with `errno` set: ENOSYS where the system
/// has no such files.
int memory_file_create(const void *bytes, size_t count);

#endif
