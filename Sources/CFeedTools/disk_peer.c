#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "feedpeer.h"

enum { CHUNK = 1 << 20 };

static int write_all(int descriptor, const uint8_t *chunk, size_t count) {
  while (count > 0) {
    ssize_t written = write(descriptor, chunk, count < CHUNK ? count : CHUNK);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) count -= (size_t)written;
  }
  return fsync(descriptor) ? errno : 0;
}

int feedpeer_write_and_sync(const char *path, size_t count) {
  uint8_t *chunk = malloc(CHUNK);
  if (!chunk) return ENOMEM;
  memset(chunk, 0x5A, CHUNK);
  int code = 0;
  int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    code = errno;
  } else {
    code = write_all(descriptor, chunk, count);
    if (close(descriptor) && !code) code = errno;
  }
  free(chunk);
  return code;
}
