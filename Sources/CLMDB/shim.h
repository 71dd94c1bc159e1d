#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <sys/vfs.h>
#else
#include <pthread.h>
#include <stdio.h>
#include <sys/mount.h>
#endif

#include <lmdb.h>

/// Locks that belong to the open file description, not to the process. Two
/// descriptors of one process exclude each other, and closing another
/// descriptor of the file does not release them. The constants require
/// `_GNU_SOURCE` on Linux and `PRIVATE` on macOS.
#if !defined(F_OFD_SETLK)
#if defined(__linux__)
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#elif defined(__APPLE__)
#define F_OFD_SETLK 90
#define F_OFD_GETLK 92
#endif
#endif

/// Locks or unlocks a range of a file without waiting. `fcntl` is variadic, so
/// Swift cannot call it with a pointer on every platform. `type` is F_RDLCK,
/// F_WRLCK or F_UNLCK. Returns 0 or the error number.
static inline int feedcore_lock_range(int descriptor, int type, int64_t start, int64_t length) {
  struct flock range;
  memset(&range, 0, sizeof range);
  range.l_type = (short)type;
  range.l_whence = SEEK_SET;
  range.l_start = start;
  range.l_len = length;
  while (fcntl(descriptor, F_OFD_SETLK, &range) != 0) {
    if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// The length of a lock of another holder that covers a byte of a file, 0 if there is none. A shared
/// lock counts too.
static inline int64_t feedcore_lock_length(int descriptor, int64_t start) {
  struct flock range;
  memset(&range, 0, sizeof range);
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = start;
  range.l_len = 1;
  while (fcntl(descriptor, F_OFD_GETLK, &range) != 0) {
    if (errno != EINTR) {
      return 0;
    }
  }
  return range.l_type == F_UNLCK ? 0 : (int64_t)range.l_len;
}

#if defined(__linux__)
// No module contains its header, which would add other headers to this one.
int flock(int descriptor, int operation);
#endif

/// Locks a directory for this open file description, or unlocks it, without waiting. In Swift,
/// `flock` is the structure of that name. Returns 0 or the error number.
static inline int feedcore_lock_directory(int descriptor, int locks) {
  while (flock(descriptor, locks ? LOCK_EX | LOCK_NB : LOCK_UN) != 0) {
    if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// The kernel's id of the calling thread. `pthread_self` is unsuitable: glibc
/// declares it constant, so an optimiser may reuse its value after a
/// suspension that moved the task to another thread.
static inline uint64_t feedcore_thread_id(void) {
#if defined(__linux__)
  return (uint64_t)syscall(SYS_gettid);
#else
  uint64_t identifier = 0;
  pthread_threadid_np(NULL, &identifier);
  return identifier;
#endif
}

/// Milliseconds since an unspecified time, a few of them late. Costs one or two loads.
static inline uint64_t feedcore_coarse_milliseconds(void) {
  struct timespec now = {0, 0};
#if defined(__linux__)
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
  clock_gettime(CLOCK_MONOTONIC_RAW_APPROX, &now);
#endif
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/// Asks the kernel to begin writing a file's changed pages to the disk. Does not
/// wait for them and makes nothing durable. Elsewhere than on Linux it does
/// nothing.
static inline void feedcore_start_writing(int descriptor) {
#if defined(SYS_sync_file_range)
  // SYNC_FILE_RANGE_WRITE, which <fcntl.h> declares with _GNU_SOURCE only.
  const unsigned int write = 2;
  (void)syscall(SYS_sync_file_range, descriptor, (off_t)0, (off_t)0, write);
#else
  (void)descriptor;
#endif
}

/// Allocates blocks for a file up to a size, which becomes its minimum. Creates a missing file.
/// Does not change a file that has the blocks, so other processes may be using it. EOPNOTSUPP if
/// the system or the file system cannot. It does not write zeros instead, since other processes may
/// be writing. Returns 0 or the error number.
static inline int feedcore_allocate(const char *path, int64_t size, unsigned int mode) {
#if defined(__linux__)
  const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
  if (descriptor < 0) {
    return errno;
  }
  const int code = syscall(SYS_fallocate, descriptor, 0, (off_t)0, (off_t)size) == 0 ? 0 : errno;
  close(descriptor);
  return code;
#else
  (void)path, (void)size, (void)mode;
  return EOPNOTSUPP;
#endif
}

/// Exchanges two paths atomically. ENOSYS, EINVAL or ENOTSUP if the system or
/// the file system cannot. Returns 0 or the error number.
static inline int feedcore_exchange(const char *first, const char *second) {
#if defined(__linux__)
  const unsigned int exchange = 1u << 1;
  return syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, exchange) == 0 ? 0 : errno;
#else
  return renamex_np(first, second, RENAME_SWAP) == 0 ? 0 : errno;
#endif
}

/// The type of the file system of a path. On Linux, where Swift does not see
/// `statfs`, its magic number. Elsewhere 0 for a local one and `UINT64_MAX`
/// for a remote one. 0 if the path does not exist.
static inline uint64_t feedcore_filesystem_type(const char *path) {
  struct statfs status;
  if (statfs(path, &status) != 0) {
    return 0;
  }
#if defined(__linux__)
  return (uint32_t)status.f_type;
#else
  return (status.f_flags & MNT_LOCAL) ? 0 : UINT64_MAX;
#endif
}
