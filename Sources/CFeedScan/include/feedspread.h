#pragma once

#include <stdbool.h>
#include <stdint.h>

// The distribution of numbers: the least, the greatest, and a histogram whose range is not known in
// advance.
//
// A bin holds the numbers from `bin * 2^exponent` up to the next bin. All bins with a number are
// among `FEEDSCAN_BINS` adjacent ones. A number outside them doubles the width of all bins until it
// fits. Bins of twice the width are pairs of the former ones, so the order of the numbers does not
// matter, and two spreads of the same exponent can be added.

enum { FEEDSCAN_BINS = 32 };

typedef struct {
  /// The extreme numbers, if there is one; else the least is greater than the greatest.
  double least, greatest;
  /// 2^-exponent.
  double scale;
  int32_t exponent;
  /// The first and the last bin with a number, if there is one; else the first is greater.
  int64_t first, last;
  /// The count of a bin is at the remainder of bin / FEEDSCAN_BINS.
  uint64_t counts[FEEDSCAN_BINS];
} feedscan_spread;

/// A spread without a number.
feedscan_spread feedscan_spread_make(void);

/// Adds a finite number.
void feedscan_spread_take(feedscan_spread *spread, double number);

/// Adds a number that may need wider bins.
void feedscan_spread_widen(feedscan_spread *spread, double number);

/// The bin of a number. `scaled` is the quotient of the number and 2^exponent.
static inline int64_t feedscan_spread_bin(double number, double scaled) {
  int64_t bin = (int64_t)scaled;
  // The conversion truncates. Round towards minus infinity instead, also if the quotient
  // underflowed.
  return bin - (((double)bin > scaled) | ((scaled == 0) & (number < 0)));
}

/// `feedscan_spread_take`, for use in a loop.
static inline void feedscan_spread_add(feedscan_spread *spread, double number) {
  if (number < spread->least) spread->least = number;
  if (number > spread->greatest) spread->greatest = number;
  // Multiplication by a power of two is exact if it does not underflow. The bound makes the
  // conversion defined.
  double scaled = number * spread->scale;
  if (__builtin_expect(scaled > -0x1p41 && scaled < 0x1p41, 1)) {
    int64_t bin = feedscan_spread_bin(number, scaled);
    if (__builtin_expect(bin >= spread->first && bin <= spread->last, 1)) {
      spread->counts[(uint64_t)bin % FEEDSCAN_BINS]++;
      return;
    }
  }
  feedscan_spread_widen(spread, number);
}
