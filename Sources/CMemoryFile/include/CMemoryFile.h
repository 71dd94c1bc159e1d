#ifndef CMemoryFile_h
#define CMemoryFile_h

#include <stddef.h>

/// Creates an anonymous file in memory with these bytes. The file is sealed against changes and
/// closes on exec. It is written in C because Swift's module of the C library does not expose
/// `memfd_create`.
///
/// Returns its descriptor, which the caller owns, or -1 with `errno` set: ENOSYS if the system has
/// no such files.
int memory_file_create(const void *bytes, size_t count);

#endif
