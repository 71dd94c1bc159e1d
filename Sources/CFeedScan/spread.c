#include "feedspread.h"

#include <math.h>
#include <string.h>

/// The exponent of the narrowest bins. It bounds the scale, and so the bits of a scaled number.
static const int32_t least_exponent = -900;

feedscan_spread feedscan_spread_make(void) {
  return (feedscan_spread){
    .least = INFINITY,
    .greatest = -INFINITY,
    .scale = 0x1p900,
    .exponent = least_exponent,
    .first = INT64_MAX,
    .last = INT64_MIN,
  };
}

void feedscan_spread_take(feedscan_spread *spread, double number) {
  feedscan_spread_add(spread, number);
}

/// The quotient of a bin and 2^shift, rounded towards minus infinity.
static int64_t quotient(int64_t bin, int32_t shift) {
  if (shift > 62) shift = 62;
  // A shift of a negative number is not defined by the standard.
  return bin < 0 ? ~(~bin >> shift) : bin >> shift;
}

static void set_exponent(feedscan_spread *spread, int32_t exponent) {
  int32_t shift = exponent - spread->exponent;
  if (shift <= 0) return;
  spread->exponent = exponent;
  spread->scale = ldexp(1, -exponent);
  if (spread->first > spread->last) return;
  uint64_t counts[FEEDSCAN_BINS] = {0};
  for (int64_t bin = spread->first; bin <= spread->last; bin++) {
    counts[(uint64_t)quotient(bin, shift) % FEEDSCAN_BINS] +=
      spread->counts[(uint64_t)bin % FEEDSCAN_BINS];
  }
  memcpy(spread->counts, counts, sizeof counts);
  spread->first = quotient(spread->first, shift);
  spread->last = quotient(spread->last, shift);
}

void feedscan_spread_widen(feedscan_spread *spread, double number) {
  if (!isfinite(number)) return;
  if (number != 0) {
    // The number is below 2^exponent, and its bin therefore below 2^41.
    int exponent;
    frexp(number, &exponent);
    set_exponent(spread, exponent - 41);
  }
  for (;;) {
    int64_t bin = feedscan_spread_bin(number, number * spread->scale);
    int64_t first = bin < spread->first ? bin : spread->first;
    int64_t last = bin > spread->last ? bin : spread->last;
    if (last - first < FEEDSCAN_BINS) {
      spread->first = first;
      spread->last = last;
      spread->counts[(uint64_t)bin % FEEDSCAN_BINS]++;
      return;
    }
    set_exponent(spread, spread->exponent + 1);
  }
}
