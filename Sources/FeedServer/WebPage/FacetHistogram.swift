import FeedPresentation
import FeedSchema
import FeedStorage

/// How the bounds of a field's numbers or dates are written.
struct FacetBounds {
  /// The characters of `2026-01-31T13:45:00Z` up to the day, the minute and the second.
  private enum Precision: Int {
    case day = 10
    case minute = 16
    case second = 19
  }

  /// Nil for numbers.
  private let precision: Precision?

  /// - Parameter range: a range whose two bounds differ in the text. Dates are in seconds.
  init(ofDates areDates: Bool, in range: ClosedRange<Double>) {
    let seconds = range.upperBound - range.lowerBound
    precision = !areDates ? nil : seconds >= 86_400 ? .day : seconds >= 60 ? .minute : .second
  }

  /// Nil for a date outside of the years that can be written.
  func text(_ value: Double) -> String? {
    guard let precision else { return value.schemaDigits }
    return DateText.text(referenceSeconds: value).map { bytes in
      String(decoding: bytes.prefix(precision.rawValue), as: UTF8.self)
        .replacing("T", with: " ")
    }
  }
}

/// The bars of a field's numbers or dates.
struct HistogramView: Sendable {
  /// A bar in a drawing of the height 100. Its width is one, with a gap.
  struct Bar: Sendable {
    let place: Int
    let top: Int
    let height: Int
  }

  /// The number of bars, each of the width 1.
  let width: Int
  let bars: [Bar]
  /// The text that a screen reader reads.
  let label: String

  /// Nil for a single bar, which shows nothing.
  init?(_ spread: DocumentFacet.Spread, ofDates areDates: Bool, in text: FeedText) {
    guard let histogram = spread.histogram else { return nil }
    let counts = histogram.counts
    guard counts.count > 1, let most = counts.max(), most > 0,
      let highest = counts.firstIndex(of: most)
    else { return nil }
    width = counts.count
    bars = counts.enumerated().filter { $1 > 0 }.map { place, count in
      // The fewest values stay visible.
      let height = max(Int((Double(count) / Double(most) * 100).rounded()), 3)
      return Bar(place: place, top: 100 - height, height: height)
    }
    let start = histogram.lowerBound + Double(highest) * histogram.width
    // A bar ends before the next one begins.
    let low = max(start, spread.range.lowerBound)
    let high = max(low, min(start + histogram.width - spread.step, spread.range.upperBound))
    let bounds = FacetBounds(ofDates: areDates, in: 0...histogram.width)
    guard let low = bounds.text(low), let high = bounds.text(high) else { return nil }
    label = text.format(.mostValues, "\(low) – \(high)")
  }
}
