import CFeedScan

/// How many numbers or dates are in each of a few adjacent bins of the same width, which is a power of
/// two times a unit.
///
/// The bins follow from the numbers alone and not from their order. See `feedspread.h`.
package struct NumberHistogram: Sendable, Hashable {
  static let maximumBins = Int(FEEDSCAN_BINS)
  /// The exponents of `feedscan_spread`.
  private static let exponents = -900...1020
  /// The bins of `feedscan_spread`.
  private static let bins = -(1 << 41)...(1 << 41)

  /// The unit of dates: a day has 2^7 of it, so bins begin with a day or divide it.
  static let dateUnit = 86_400.0 / 128

  /// The bounds of narrower bins of dates would not be exact as seconds since 1970.
  static let leastDateWidth = 0x1p-10 * dateUnit

  /// One for numbers, ``dateUnit`` in seconds for dates.
  private let unit: Double
  /// The width of a bin is two to the power of this, in units.
  private var exponent: Int
  /// The first bin begins at this multiple of the width.
  private var first: Int
  /// The numbers in each bin. There is at least one bin.
  package private(set) var counts: [Int]

  package var width: Double { Double(sign: .plus, exponent: exponent, significand: 1) * unit }
  /// Where the first bin begins.
  package var lowerBound: Double { Double(first) * width }

  /// Nil if there is no number, or a bound is not finite.
  ///
  /// - Parameter spread: the numbers in units.
  init?(_ spread: feedscan_spread, unit: Double = 1) {
    guard spread.first <= spread.last else { return nil }
    self.unit = unit
    exponent = Int(spread.exponent)
    first = Int(spread.first)
    let bins = Int(spread.first)...Int(spread.last)
    counts = withUnsafeBytes(of: spread.counts) { counts in
      bins.map { bin in
        let place = bin & (Self.maximumBins - 1)
        let offset = place * MemoryLayout<UInt64>.stride
        return Int(clamping: counts.load(fromByteOffset: offset, as: UInt64.self))
      }
    }
    guard hasFiniteBounds else { return nil }
  }

  /// The bins that the text of a schema describes; nil if no histogram can have them.
  init?(from lowerBound: Double, width: Double, counts: [Int], unit: Double) {
    let (lowerBound, width) = (lowerBound / unit, width / unit)
    guard width.isNormal, width > 0, width.significand == 1,
      Self.exponents.contains(Int(width.exponent)), 1...Self.maximumBins ~= counts.count,
      let first = Int(exactly: lowerBound / width), Self.bins.contains(first)
    else { return nil }
    self.unit = unit
    self.exponent = Int(width.exponent)
    self.first = first
    self.counts = counts
    guard hasFiniteBounds else { return nil }
  }

  /// False if a bin of the greatest numbers ends beyond the range of `Double`.
  private var hasFiniteBounds: Bool {
    lowerBound.isFinite && (lowerBound + width * Double(counts.count)).isFinite
  }

  /// The same numbers in fewer bins: at most `max(bins, 2)`, none narrower than `least`. Nil if a
  /// bound is not finite.
  package func merged(toAtMost bins: Int, width least: Double = 0) -> NumberHistogram? {
    var result = self
    let inUnits = least / unit
    if inUnits > 0 {
      result.widen(to: Int(inUnits.exponent) + (inUnits.significand > 1 ? 1 : 0))
    }
    // Bins on both sides of zero are never merged.
    while result.counts.count > max(bins, 2) { result.widen(to: result.exponent + 1) }
    return result.hasFiniteBounds ? result : nil
  }

  /// The numbers of both; nil if a bound is not finite.
  func union(_ other: NumberHistogram) -> NumberHistogram? {
    var (result, other) = (self, other)
    result.align(with: &other)
    let bins = min(result.first, other.first)..<max(result.end, other.end)
    result.counts = bins.map { result[$0].addingCount(other[$0]) }
    result.first = bins.lowerBound
    return result.hasFiniteBounds ? result : nil
  }

  /// Subtracts the counts of another histogram. The bins stay.
  mutating func subtract(_ other: NumberHistogram) {
    var other = other
    align(with: &other)
    counts = counts.indices.map { max(counts[$0] - other[first + $0], 0) }
  }

  /// The bin after the last one.
  private var end: Int { first + counts.count }

  private subscript(bin: Int) -> Int {
    (first..<end).contains(bin) ? counts[bin - first] : 0
  }

  /// Gives both the same width, wide enough that their bins together do not exceed the maximum.
  private mutating func align(with other: inout NumberHistogram) {
    var exponent = max(exponent, other.exponent)
    widen(to: exponent)
    other.widen(to: exponent)
    while max(end, other.end) - min(first, other.first) > Self.maximumBins {
      exponent += 1
      widen(to: exponent)
      other.widen(to: exponent)
    }
  }

  private mutating func widen(to exponent: Int) {
    // A larger shift has the same result. `>>` rounds towards minus infinity.
    let shift = min(exponent - self.exponent, 63)
    guard shift > 0 else { return }
    let (bins, new) = (first..<end, first >> shift)
    var merged = [Int](repeating: 0, count: ((end - 1) >> shift) - new + 1)
    for bin in bins {
      let place = (bin >> shift) - new
      merged[place] = merged[place].addingCount(counts[bin - bins.lowerBound])
    }
    (self.exponent, first, counts) = (exponent, new, merged)
  }
}
