#pragma once

#include <stdint.h>

// The faults of two adjacent bytes, one bit each. The three tables below are indexed by the two
// halves of the first byte and by the high half of the second. A pair is faulty if the three
// entries share a bit. The idea is Keiser and Lemire's, "Validating UTF-8 in less than one
// instruction per byte" (2021).
enum {
  /// A lead byte without its continuation.
  FAULT_SHORT = 1 << 0,
  /// A continuation after an ASCII byte.
  FAULT_STRAY = 1 << 1,
  /// E0 80…9F.
  FAULT_OVERLONG_3 = 1 << 2,
  /// ED A0…BF.
  FAULT_SURROGATE = 1 << 3,
  /// C0 or C1.
  FAULT_OVERLONG_2 = 1 << 4,
  /// F4 90…BF, or F5 and above before any continuation but 80…8F.
  FAULT_LARGE = 1 << 5,
  /// F0 80…8F, or F5 and above before 80…8F.
  FAULT_OVERLONG_4_OR_LARGE = 1 << 6,
  /// Two continuations in a row: valid only as the third or fourth byte of a sequence, where the
  /// kernels expect this bit.
  FAULT_CONTINUED = 1 << 7,

  // The faults for which only the high half of the first byte matters.
  ANY_LOW = FAULT_SHORT | FAULT_STRAY | FAULT_CONTINUED,
  ABOVE_F4 = ANY_LOW | FAULT_LARGE | FAULT_OVERLONG_4_OR_LARGE,
  ANY_CONTINUATION = FAULT_STRAY | FAULT_OVERLONG_2 | FAULT_CONTINUED,
};

static const uint8_t utf8_first_high[16] = {
  FAULT_STRAY, FAULT_STRAY, FAULT_STRAY, FAULT_STRAY,
  FAULT_STRAY, FAULT_STRAY, FAULT_STRAY, FAULT_STRAY,
  FAULT_CONTINUED, FAULT_CONTINUED, FAULT_CONTINUED, FAULT_CONTINUED,
  FAULT_SHORT | FAULT_OVERLONG_2,
  FAULT_SHORT,
  FAULT_SHORT | FAULT_OVERLONG_3 | FAULT_SURROGATE,
  FAULT_SHORT | FAULT_LARGE | FAULT_OVERLONG_4_OR_LARGE,
};

static const uint8_t utf8_first_low[16] = {
  ANY_LOW | FAULT_OVERLONG_3 | FAULT_OVERLONG_2 | FAULT_OVERLONG_4_OR_LARGE,
  ANY_LOW | FAULT_OVERLONG_2,
  ANY_LOW, ANY_LOW,
  ANY_LOW | FAULT_LARGE,
  ABOVE_F4, ABOVE_F4, ABOVE_F4, ABOVE_F4, ABOVE_F4, ABOVE_F4, ABOVE_F4, ABOVE_F4,
  ABOVE_F4 | FAULT_SURROGATE,
  ABOVE_F4, ABOVE_F4,
};

static const uint8_t utf8_second_high[16] = {
  FAULT_SHORT, FAULT_SHORT, FAULT_SHORT, FAULT_SHORT,
  FAULT_SHORT, FAULT_SHORT, FAULT_SHORT, FAULT_SHORT,
  ANY_CONTINUATION | FAULT_OVERLONG_3 | FAULT_OVERLONG_4_OR_LARGE,
  ANY_CONTINUATION | FAULT_OVERLONG_3 | FAULT_LARGE,
  ANY_CONTINUATION | FAULT_SURROGATE | FAULT_LARGE,
  ANY_CONTINUATION | FAULT_SURROGATE | FAULT_LARGE,
  FAULT_SHORT, FAULT_SHORT, FAULT_SHORT, FAULT_SHORT,
};
