#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void torture_lock(void) { pthread_mutex_lock(&lock); }
void torture_unlock(void) { pthread_mutex_unlock(&lock); }

bool torture_below_root(const char *path) {
  const char *root = getenv("TORTURE_ROOT");
  return root && path && strncmp(path, root, strlen(root)) == 0;
}

bool torture_is_fault(const char *name) {
  const char *fault = getenv("TORTURE_FAULT");
  return fault && strcmp(fault, name) == 0;
}

// System calls themselves, since the functions of the C library are ours.
static int open_raw(const char *path, int flags) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
}

// A file of eight bytes that the harness reads: how many operations there were so far. Shared, so
// that it is right after any end of the process.
static uint64_t *counter(void) {
  static uint64_t *mapped;
  static uint64_t unshared;
  if (mapped) return mapped;
  mapped = &unshared;
  const char *path = getenv("TORTURE_COUNTER");
  int descriptor = path ? open_raw(path, O_RDWR) : -1;
  if (descriptor < 0) return mapped;
  void *map = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (map != MAP_FAILED) mapped = map;
  syscall(SYS_close, descriptor);
  return mapped;
}

enum verdict torture_judge(enum operation operation) {
  uint64_t number = ++*counter();
  const char *at = getenv("TORTURE_FAIL_AT");
  const char *how = getenv("TORTURE_FAIL");
  if (!at || !how) return VERDICT_PASS;
  uint64_t first = strtoull(at, NULL, 10);
  if (number < first || (number > first && !getenv("TORTURE_FAIL_STAYS"))) return VERDICT_PASS;
  bool is_write = operation == OPERATION_WRITE || operation == OPERATION_DURABLE_WRITE;
  if (strcmp(how, "swallow") == 0) return is_write ? VERDICT_SWALLOW : VERDICT_PASS;
  if (strcmp(how, "short") == 0) return is_write ? VERDICT_HALVE : VERDICT_PASS;
  if (strcmp(how, "enospc") == 0) {
    if (operation == OPERATION_OPEN || operation == OPERATION_READ) return VERDICT_PASS;
    errno = ENOSPC;
  } else {
    errno = EIO;
  }
  return VERDICT_FAIL;
}

// The sync that makes a publish last is the one that follows the short write into one of LMDB's
// first two pages; in `no-sync` none is left.
static bool is_dropped(enum operation operation, uint64_t offset, size_t length) {
  static bool was_published;
  if (operation == OPERATION_WRITE) was_published = offset < 8192 && length < 512;
  if (operation != OPERATION_SYNC) return false;
  if (torture_is_fault("no-sync")) return true;
  bool is_last = was_published;
  was_published = false;
  return is_last && torture_is_fault("no-publish-sync");
}

void torture_record(
  enum operation operation, uint64_t inode, uint64_t offset, const struct iovec *parts, int count) {
  static int descriptor = -1;
  const char *path = getenv("TORTURE_RECORD");
  if (!path || count > 128) return;
  if (is_dropped(operation, offset, torture_length(parts, count))) return;
  if (descriptor < 0) descriptor = open_raw(path, O_WRONLY | O_CREAT | O_APPEND);
  struct record record = {.operation = operation, .inode = inode, .offset = offset};
  struct iovec all[129];
  all[0] = (struct iovec){.iov_base = &record, .iov_len = sizeof record};
  for (int index = 0; index < count; index++) {
    all[index + 1] = parts[index];
    record.length += parts[index].iov_len;
  }
  int kept = errno;
  // Half a recording would prove nothing.
  if (syscall(SYS_writev, descriptor, all, count + 1) != (long)(sizeof record + record.length)) {
    abort();
  }
  errno = kept;
}

uint64_t torture_inode(int descriptor) {
  struct stat status;
  memset(&status, 0, sizeof status);
  syscall(SYS_fstat, descriptor, &status);
  return status.st_ino;
}
