#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "feedpeer.h"

enum { PIECE = 1 << 20 };

static int write_all(int descriptor, const uint8_t *piece, size_t count) {
  while (count > 0) {
    ssize_t written = write(descriptor, piece, count < PIECE ? count : PIECE);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) count -= (size_t)written;
  }
  return fsync(descriptor) ? errno : 0;
}

int feedpeer_write_and_sync(const char *path, size_t count) {
  uint8_t *piece = malloc(PIECE);
  if (!piece) return ENOMEM;
  memset(piece, 0x5A, PIECE);
  int code = 0;
  int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    code = errno;
  } else {
    code = write_all(descriptor, piece, count);
    if (close(descriptor) && !code) code = errno;
  }
  free(piece);
  return code;
}
