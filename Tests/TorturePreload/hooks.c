#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

enum { DESCRIPTORS = 4096 };

// What is known of an open file below the root: nothing, that it is one, that its writes last.
static char followed[DESCRIPTORS];
enum { NOT_FOLLOWED, FOLLOWED, FOLLOWED_DURABLE };

static bool is_followed(int descriptor) {
  return descriptor >= 0 && descriptor < DESCRIPTORS && followed[descriptor] != NOT_FOLLOWED;
}

static void record_path(enum operation operation, uint64_t inode, const char *a, const char *b) {
  struct iovec paths[2] = {
    {.iov_base = (void *)a, .iov_len = strlen(a) + 1},
    {.iov_base = (void *)b, .iov_len = b ? strlen(b) + 1 : 0},
  };
  torture_record(operation, inode, 0, paths, b ? 2 : 1);
}

// MARK: Opening

typedef int opener(const char *path, int flags, ...);

static int open_file(opener *real, const char *path, int flags, mode_t mode) {
  if (!torture_below_root(path)) return real(path, flags, mode);
  torture_lock();
  bool is_new = (flags & O_CREAT) && access(path, F_OK) != 0;
  int descriptor = -1;
  if (torture_judge(OPERATION_OPEN) == VERDICT_PASS) descriptor = real(path, flags, mode);
  if (descriptor >= 0 && descriptor < DESCRIPTORS) {
    followed[descriptor] = flags & (O_DSYNC | O_SYNC) ? FOLLOWED_DURABLE : FOLLOWED;
    uint64_t inode = torture_inode(descriptor);
    if (is_new) record_path(OPERATION_CREATE, inode, path, NULL);
    if (flags & O_TRUNC) torture_record(OPERATION_TRUNCATE, inode, 0, NULL, 0);
  }
  torture_unlock();
  return descriptor;
}

static mode_t mode_of(int flags, va_list arguments) {
  return flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
  REAL(open);
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(real, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  REAL(open64);
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(real, path, flags, mode);
}

int close(int descriptor) {
  REAL(close);
  if (is_followed(descriptor)) followed[descriptor] = NOT_FOLLOWED;
  return real(descriptor);
}

// MARK: Writing

// LMDB publishes a transaction by a short write into one of the first two pages.
static bool is_lost(off_t offset, size_t length) {
  static unsigned count;
  if (!torture_is_fault("lost-publish") || length > 512 || offset >= 8192) return false;
  return ++count % 3 == 0;
}

// Set once the disk has taken less than it was given.
static bool was_full;

// The first half of what was to be written.
static ssize_t write_half(int descriptor, const struct iovec *parts, off_t offset, size_t length) {
  size_t half = parts[0].iov_len < length ? parts[0].iov_len : length / 2;
  struct iovec part = {.iov_base = parts[0].iov_base, .iov_len = half};
  ssize_t written = pwritev2(descriptor, &part, 1, offset, 0);
  if (written > 0) {
    torture_record(OPERATION_WRITE, torture_inode(descriptor), (uint64_t)offset, &part, 1);
  }
  return written;
}

// `is_seeking`: the descriptor's position is used, and moves.
static ssize_t write_parts(
  int descriptor, const struct iovec *parts, int count, off_t offset, bool is_seeking) {
  torture_lock();
  bool lasts = followed[descriptor] == FOLLOWED_DURABLE;
  enum operation operation = lasts ? OPERATION_DURABLE_WRITE : OPERATION_WRITE;
  if (is_seeking) offset = lseek(descriptor, 0, SEEK_CUR);
  size_t length = torture_length(parts, count);
  enum verdict verdict = torture_judge(operation);
  if (is_lost(offset, length)) verdict = VERDICT_SWALLOW;
  ssize_t written = -1;
  switch (verdict) {
  case VERDICT_PASS:
    written = pwritev2(descriptor, parts, count, offset, 0);
    // A disk that fills up takes a part, or nothing.
    was_full = was_full || written < (ssize_t)length;
    if (written < (ssize_t)length && torture_is_fault("silent-full")) {
      written = (ssize_t)length;
    } else if (written == (ssize_t)length) {
      torture_record(operation, torture_inode(descriptor), (uint64_t)offset, parts, count);
    }
    break;
  case VERDICT_HALVE: written = write_half(descriptor, parts, offset, length); break;
  case VERDICT_SWALLOW: written = (ssize_t)length; break;
  case VERDICT_FAIL: break;
  }
  if (is_seeking && written > 0) lseek(descriptor, offset + written, SEEK_SET);
  torture_unlock();
  return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  REAL(pwrite);
  if (!is_followed(descriptor)) return real(descriptor, bytes, count, offset);
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  return write_parts(descriptor, &part, 1, offset, false);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL(write);
  if (!is_followed(descriptor)) return real(descriptor, bytes, count);
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  return write_parts(descriptor, &part, 1, 0, true);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  REAL(writev);
  if (!is_followed(descriptor)) return real(descriptor, parts, count);
  return write_parts(descriptor, parts, count, 0, true);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  REAL(pwritev);
  if (!is_followed(descriptor)) return real(descriptor, parts, count, offset);
  return write_parts(descriptor, parts, count, offset, false);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return pwritev(descriptor, parts, count, offset);
}

int ftruncate(int descriptor, off_t length) {
  REAL(ftruncate);
  if (!is_followed(descriptor)) return real(descriptor, length);
  torture_lock();
  int result = torture_judge(OPERATION_TRUNCATE) == VERDICT_PASS ? real(descriptor, length) : -1;
  if (result == 0) {
    torture_record(
      OPERATION_TRUNCATE, torture_inode(descriptor), (uint64_t)length, NULL, 0);
  }
  torture_unlock();
  return result;
}

int ftruncate64(int descriptor, off_t length) { return ftruncate(descriptor, length); }

// MARK: Reading

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  REAL(pread);
  if (!is_followed(descriptor)) return real(descriptor, bytes, count, offset);
  torture_lock();
  ssize_t result = -1;
  if (torture_judge(OPERATION_READ) == VERDICT_PASS) {
    result = real(descriptor, bytes, count, offset);
  }
  torture_unlock();
  return result;
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off_t offset) {
  return pread(descriptor, bytes, count, offset);
}

// MARK: Making it last

static bool is_of_images(int descriptor) {
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  return readlink(link, path, sizeof path - 1) > 0 && strstr(path, "/images/data.mdb");
}

static int synchronize(int (*real)(int), int descriptor) {
  if (!is_followed(descriptor)) return real(descriptor);
  if (torture_is_fault("no-image-sync") && is_of_images(descriptor)) return 0;
  torture_lock();
  int result = torture_judge(OPERATION_SYNC) == VERDICT_PASS ? 0 : -1;
  // What is recorded is kept in memory anyway; no state depends on this disk.
  if (result == 0 && !getenv("TORTURE_RECORD")) result = real(descriptor);
  if (result == 0) torture_record(OPERATION_SYNC, torture_inode(descriptor), 0, NULL, 0);
  torture_unlock();
  return result;
}

int fsync(int descriptor) {
  REAL(fsync);
  return synchronize(real, descriptor);
}

int fdatasync(int descriptor) {
  REAL(fdatasync);
  return synchronize(real, descriptor);
}

// MARK: Directories

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  if (!torture_below_root(path)) return real(path, mode);
  torture_lock();
  int result = torture_judge(OPERATION_MKDIR) == VERDICT_PASS ? real(path, mode) : -1;
  struct stat status;
  if (result == 0 && lstat(path, &status) == 0) {
    record_path(OPERATION_MKDIR, status.st_ino, path, NULL);
  }
  torture_unlock();
  return result;
}

int rename(const char *from, const char *to) {
  REAL(rename);
  if (!torture_below_root(to)) return real(from, to);
  torture_lock();
  int result = torture_judge(OPERATION_RENAME) == VERDICT_PASS ? real(from, to) : -1;
  if (result == 0) record_path(OPERATION_RENAME, 0, from, to);
  torture_unlock();
  return result;
}

// Two directories are exchanged by the system call itself, since older C libraries do not know it.
long syscall(long number, ...) {
  REAL(syscall);
  long words[6];
  va_list arguments;
  va_start(arguments, number);
  for (int index = 0; index < 6; index++) words[index] = va_arg(arguments, long);
  va_end(arguments);
  bool is_exchange = number == SYS_renameat2 && torture_below_root((const char *)words[3]);
  if (!is_exchange) {
    return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  }
  torture_lock();
  long result = -1;
  if (torture_judge(OPERATION_EXCHANGE) == VERDICT_PASS) {
    result = real(number, words[0], words[1], words[2], words[3], words[4]);
  }
  if (result == 0) {
    record_path(OPERATION_EXCHANGE, 0, (const char *)words[1], (const char *)words[3]);
  }
  torture_unlock();
  return result;
}

static int remove_entry(int (*real)(const char *), const char *path) {
  if (!torture_below_root(path)) return real(path);
  torture_lock();
  int result = torture_judge(OPERATION_REMOVE) == VERDICT_PASS ? real(path) : -1;
  if (result == 0) record_path(OPERATION_REMOVE, 0, path, NULL);
  torture_unlock();
  return result;
}

int unlink(const char *path) {
  REAL(unlink);
  return remove_entry(real, path);
}

int rmdir(const char *path) {
  REAL(rmdir);
  return remove_entry(real, path);
}

// MARK: A disk that others fill

// With TORTURE_ROOMY there is room whenever one looks, and none when one writes: as if others had
// filled the disk in between. From then on the truth is told.
int statvfs(const char *restrict path, struct statvfs *restrict status) {
  REAL(statvfs);
  int result = real(path, status);
  if (result == 0 && getenv("TORTURE_ROOMY") && !was_full) status->f_bavail += 1 << 20;
  return result;
}

// MARK: Planted faults

// Every lock of an open file description is granted: `fcntl` with a pointer, whatever it locks.
int fcntl(int descriptor, int command, ...) {
  REAL(fcntl);
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (command == F_OFD_SETLK && torture_is_fault("no-locks")) return 0;
  return real(descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return fcntl(descriptor, command, argument);
}

// LMDB's own function, whose parameters are told in lmdb.h: the entry that an environment rewrites
// so that a transaction lies between freeing pages and using them finds no room.
struct value {
  size_t size;
  const void *data;
};

int mdb_put(
  void *transaction, unsigned table, struct value *key, struct value *value, unsigned flags) {
  REAL(mdb_put);
  const int map_full = -30792;
  // The commit behind a publish would have it synchronised too.
  bool is_without = torture_is_fault("no-tick") || torture_is_fault("no-publish-sync");
  if (is_without && key->size >= 4 && memcmp(key->data, "tick", 4) == 0) return map_full;
  return real(transaction, table, key, value, flags);
}

// Below a directory named `copy` every file seems to be another one than it is, so that the second
// name of a file is taken for a second file.
static void disguise(const char *path, struct stat *status) {
  if (torture_is_fault("strange-inodes") && strstr(path, "/copy/")) status->st_ino += 1ul << 32;
}

int stat(const char *restrict path, struct stat *restrict status) {
  REAL(stat);
  int result = real(path, status);
  if (result == 0) disguise(path, status);
  return result;
}

int fstat(int descriptor, struct stat *status) {
  REAL(fstat);
  int result = real(descriptor, status);
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  if (result == 0 && readlink(link, path, sizeof path - 1) > 0) disguise(path, status);
  return result;
}
