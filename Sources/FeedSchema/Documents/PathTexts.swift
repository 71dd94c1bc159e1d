import CFeedScan
@_spi(Records) import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The formats of texts that have a name in JSON Schema.
package struct TextFormats: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let uuid = TextFormats(rawValue: 1)
  package static let dateTime = TextFormats(rawValue: 2)
  package static let uri = TextFormats(rawValue: 4)
  package static let all: TextFormats = [.uuid, .dateTime, .uri]

  /// The formats among these that a text has.
  func filtered(by text: borrowing RawSpan) -> TextFormats {
    var formats = self
    if contains(.uuid), text.byteCount != 36 || UUIDText.parse(text) == nil {
      formats.remove(.uuid)
    }
    if contains(.dateTime), DateText.parse(text) == nil { formats.remove(.dateTime) }
    if contains(.uri), !URLText.isAbsolute(text) { formats.remove(.uri) }
    return formats
  }
}

/// The texts of one path: the distinct ones while there are few, the formats of all samples, and how
/// dates are spread.
struct PathTexts {
  /// The distinct texts; nil if there are too many, or one is too long.
  private(set) var values: [[UInt8]]? = []
  /// How often each of them occurs.
  private(set) var counts = InlineArray<8, Int>(repeating: 0)
  /// The short texts among the distinct ones, which are compared without reference counting.
  private var shortValues = InlineArray<8, ShortText>(repeating: ShortText())
  /// The indices of the short texts in `values`.
  private var shortPlaces = InlineArray<8, UInt8>(repeating: 0)
  private var shortValueCount = 0
  private(set) var formats = TextFormats.all
  /// Whether all texts are dates. All texts are then examined, and not only samples.
  private(set) var areDates = false
  private var dateRange = 0.0...0.0
  /// The dates in units. It is an array because few paths have dates.
  private var dateSpread: [feedscan_spread] = []

  /// The dates, if all texts are dates.
  var dates: PathNode.Spread? {
    guard areDates else { return nil }
    return PathNode.Spread(
      range: dateRange,
      histogram: dateSpread.first.flatMap {
        NumberHistogram($0, unit: NumberHistogram.dateUnit)?
          .merged(toAtMost: NumberHistogram.maximumBins, width: NumberHistogram.leastDateWidth)
      })
  }
  /// Whether all texts of the path must be examined.
  var needsAll: Bool { values != nil || areDates }

  /// Adds a text to the distinct ones, and tests the formats of a sample. Returns whether fewer
  /// texts or formats need examination after this one.
  mutating func take(_ text: borrowing RawSpan, isEscaped: Bool, isSample: Bool) -> Bool {
    let before = (needsAll, formats)
    if isEscaped {
      takeEscaped(text, isSample: isSample)
    } else {
      if values != nil { addValue(text) }
      takeFormat(text, isSample: isSample)
    }
    return before != (needsAll, formats)
  }

  private mutating func takeFormat(_ text: borrowing RawSpan, isSample: Bool) {
    if areDates {
      if let date = DateText.parse(text) {
        if date < dateRange.lowerBound { dateRange = date...dateRange.upperBound }
        if date > dateRange.upperBound { dateRange = dateRange.lowerBound...date }
        return feedscan_spread_take(&dateSpread[0], date / NumberHistogram.dateUnit)
      }
      areDates = false
      formats.remove(.dateTime)
    } else if isSample {
      let isFirst = formats == .all
      formats = formats.filtered(by: text)
      // No date has another format.
      guard isFirst, formats == .dateTime, let date = DateText.parse(text) else { return }
      areDates = true
      dateRange = date...date
      dateSpread = [feedscan_spread_make()]
      feedscan_spread_take(&dateSpread[0], date / NumberHistogram.dateUnit)
    }
  }

  /// Adds a text by its characters, so that escapes make no difference.
  @inline(never)
  private mutating func takeEscaped(_ text: borrowing RawSpan, isSample: Bool) {
    let characters = JSONCursor.Text(0..<text.byteCount, isEscaped: true).decoded(in: text)
    takeFormat(characters.span.bytes, isSample: isSample)
    guard values != nil else { return }
    var literal: [UInt8] = []
    JSONText.appendString(characters.span.bytes, to: &literal)
    let written = Array(literal.dropFirst().dropLast())
    addOtherValue(written.span.bytes, written.withUnsafeBytes { ShortText($0) })
  }

  private mutating func addValue(_ text: borrowing RawSpan) {
    let short = text.withUnsafeBytes { ShortText($0) }
    if let short {
      for index in 0..<shortValueCount where shortValues[index] == short {
        counts[Int(shortPlaces[index])] &+= 1
        return
      }
    }
    addOtherValue(text, short)
  }

  @inline(never)
  private mutating func addOtherValue(_ text: borrowing RawSpan, _ short: ShortText?) {
    guard let known = values else { return }
    if let place = known.firstIndex(where: { Self.isEqual($0, text) }) {
      counts[place] &+= 1
      return
    }
    guard known.count < PathNode.maximumValues, text.byteCount <= PathNode.maximumValueBytes
    else {
      values = nil
      return
    }
    values?.append(text.withUnsafeBytes { Array($0) })
    counts[known.count] = 1
    if let short {
      shortPlaces[shortValueCount] = UInt8(known.count)
      shortValues[shortValueCount] = short
      shortValueCount += 1
    }
  }

  private static func isEqual(_ known: [UInt8], _ text: borrowing RawSpan) -> Bool {
    guard known.count == text.byteCount else { return false }
    return text.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return true }
      return memcmp(start, known, bytes.count) == 0
    }
  }
}

/// A text of at most 16 bytes, compared as two words: its length, and its first and last bytes, which
/// may overlap.
private struct ShortText: Equatable {
  private var count = -1
  private var start: UInt64 = 0
  private var end: UInt64 = 0

  /// Equal to no text.
  init() {}

  /// Nil if the text is longer.
  @inline(__always)
  init?(_ text: UnsafeRawBufferPointer) {
    count = text.count
    // Every load is inside the text.
    switch count {
    case 8...16:
      start = text.loadUnaligned(as: UInt64.self)
      end = text.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    case 4..<8:
      start = UInt64(text.loadUnaligned(as: UInt32.self))
      end = UInt64(text.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    case 1..<4:
      start = UInt64(text[0]) << 8 | UInt64(text[count / 2])
      end = UInt64(text[count - 1])
    case 0: break
    default: return nil
    }
  }

  @inline(__always)
  static func == (left: ShortText, right: ShortText) -> Bool {
    left.count == right.count && (left.start ^ right.start) | (left.end ^ right.end) == 0
  }
}
