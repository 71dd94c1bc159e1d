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

/// Locks that belong to the open file description, not to the process: two
/// descriptors of one process exclude each other, and closing some other
/// descriptor of the file does not drop them. The constants hide behind
/// `_GNU_SOURCE` on Linux and behind `PRIVATE` on macOS.
#if !defined(F_OFD_SETLK)
#if defined(__linux__)
#define F_OFD_SETLK 37
#elif defined(__APPLE__)
#define F_OFD_SETLK 90
#endif
#endif

/// `fcntl` is variadic, so Swift cannot call it with a pointer on every
/// platform. `type` is F_RDLCK, F_WRLCK or F_UNLCK; never waits.
/// Returns 0 or the error number.
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

#if defined(__linux__)
// Its header is in no module, and would bring others into this one.
int flock(int descriptor, int operation);
#endif

/// Swift takes `flock` for the structure of that name. Locks a directory for this open file
/// description, or unlocks it; never waits. Returns 0 or the error number.
static inline int feedcore_lock_directory(int descriptor, int locks) {
  while (flock(descriptor, locks ? LOCK_EX | LOCK_NB : LOCK_UN) != 0) {
    if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// The kernel's id of the calling thread. `pthread_self` will not do: glibc
/// declares it constant, so an optimiser may keep its value across a
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

/// Milliseconds since some moment, a few of them late: for one load or two.
static inline uint64_t feedcore_coarse_milliseconds(void) {
  struct timespec now = {0, 0};
#if defined(__linux__)
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
  clock_gettime(CLOCK_MONOTONIC_RAW_APPROX, &now);
#endif
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/// Gives a file blocks for so many bytes, which it has then at least, and makes it where it does not
/// exist. Does nothing to a file that has them, so that others may be using it. EOPNOTSUPP where
/// the system or the file system cannot; zeros are not written instead, since others may be
/// writing. Returns 0 or the error number.
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

/// Exchanges what two names lead to, at once; ENOSYS, EINVAL or ENOTSUP where
/// the system or the file system cannot. Returns 0 or the error number.
static inline int feedcore_exchange(const char *first, const char *second) {
#if defined(__linux__)
  const unsigned int exchange = 1u << 1;
  return syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, exchange) == 0 ? 0 : errno;
#else
  return renamex_np(first, second, RENAME_SWAP) == 0 ? 0 : errno;
#endif
}

/// The type of the file system a path lies on: its magic number on Linux,
/// where Swift does not see `statfs`; elsewhere 0 for a local one and
/// `UINT64_MAX` for one that is not. 0 where the path does not exist.
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
