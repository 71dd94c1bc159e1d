#define _GNU_SOURCE
#include "CMemoryFile.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static int write_all(int file, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(file, bytes, count);
    if (written < 0 && errno != EINTR) return -1;
    if (written == 0) {
      errno = EIO;
      return -1;
    }
    if (written > 0) {
      bytes += written;
      count -= (size_t)written;
    }
  }
  return 0;
}

int memory_file_create(const void *bytes, size_t count) {
  int file = memfd_create("feedcore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return -1;
  int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (write_all(file, bytes, count) == 0 && fcntl(file, F_ADD_SEALS, seals) == 0) return file;
  int cause = errno;
  close(file);
  errno = cause;
  return -1;
}
#else
int memory_file_create(const void *bytes, size_t count) {
  (void)bytes;
  (void)count;
  errno = ENOSYS;
  return -1;
}
#endif
