// What a process of the torture asks of the system passes through here (LD_PRELOAD): it is
// recorded, or fails at a chosen moment, or is spoilt by a planted fault. The environment says
// which; without it nothing changes. Only files below TORTURE_ROOT count.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/// What was asked of the system; the numbers stand in the recording.
enum operation {
  OPERATION_CREATE = 1,
  OPERATION_WRITE = 2,
  /// A write to a descriptor that makes each of its writes last.
  OPERATION_DURABLE_WRITE = 3,
  OPERATION_SYNC = 4,
  OPERATION_TRUNCATE = 5,
  OPERATION_RENAME = 6,
  OPERATION_MKDIR = 7,
  OPERATION_REMOVE = 8,
  OPERATION_EXCHANGE = 9,
  OPERATION_OPEN = 100,
  OPERATION_READ = 101,
};

/// One entry of the recording, in front of its bytes: what was written, or the paths, each with
/// its zero byte.
struct record {
  uint32_t operation;
  uint32_t reserved;
  uint64_t inode;
  uint64_t offset;
  uint64_t length;
};

/// What is to happen to an operation.
enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_HALVE, VERDICT_SWALLOW };

/// All operations below TORTURE_ROOT come one at a time, so that the recording has one order.
void torture_lock(void);
void torture_unlock(void);

bool torture_below_root(const char *path);
bool torture_is_fault(const char *name);

/// Counts an operation, and tells whether this is the one that TORTURE_FAIL_AT means. Sets errno.
enum verdict torture_judge(enum operation operation);

/// Adds to the file TORTURE_RECORD, if there is one.
void torture_record(
  enum operation operation, uint64_t inode, uint64_t offset, const struct iovec *parts, int count);

uint64_t torture_inode(int descriptor);

/// The bytes of all parts together.
static inline size_t torture_length(const struct iovec *parts, int count) {
  size_t length = 0;
  for (int index = 0; index < count; index++) length += parts[index].iov_len;
  return length;
}
