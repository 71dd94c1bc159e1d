#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <yajl/yajl_parse.h>

#include "feedbench.h"

static int on_null(void *context) { (void)context; return 1; }
static int on_boolean(void *context, int value) { (void)context; (void)value; return 1; }
static int on_number(void *context, const char *digits, size_t count) {
  (void)context; (void)digits; (void)count; return 1;
}
static int on_text(void *context, const unsigned char *text, size_t count) {
  (void)context; (void)text; (void)count; return 1;
}
static int on_bracket(void *context) { (void)context; return 1; }

static yajl_callbacks callbacks = {
  on_null, on_boolean, NULL, NULL, on_number, on_text,
  on_bracket, on_text, on_bracket, on_bracket, on_bracket,
};

enum { CHUNK = 1 << 20 };

static bool parse_all(
    feedbench_reader reader, void *context, yajl_handle handle, unsigned char *chunk,
    size_t *bytes) {
  *bytes = 0;
  for (;;) {
    ssize_t count = reader(context, chunk, CHUNK);
    if (count < 0) return false;
    if (count == 0) return yajl_complete_parse(handle) == yajl_status_ok;
    if (yajl_parse(handle, chunk, (size_t)count) != yajl_status_ok) return false;
    *bytes += (size_t)count;
  }
}

bool feedbench_parse_read_with_yajl(
    feedbench_reader reader, void *context, bool allow_many, size_t *bytes) {
  unsigned char *chunk = malloc(CHUNK);
  yajl_handle handle = yajl_alloc(&callbacks, NULL, NULL);
  bool done = false;
  if (chunk && handle) {
    yajl_config(handle, yajl_allow_multiple_values, allow_many ? 1 : 0);
    done = parse_all(reader, context, handle, chunk, bytes);
  }
  if (handle) yajl_free(handle);
  free(chunk);
  return done;
}

static ssize_t read_descriptor(void *context, void *chunk, size_t count) {
  return read(*(const int *)context, chunk, count);
}

bool feedbench_parse_with_yajl(const char *path, bool allow_many, size_t *bytes) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  bool done = feedbench_parse_read_with_yajl(read_descriptor, &descriptor, allow_many, bytes);
  close(descriptor);
  return done;
}
