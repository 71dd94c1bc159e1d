import CFeedScan

/// A buffer for the text of records without the contents of their strings.
///
/// YAJL looks at every byte of a string, which takes about a quarter of a lane's time. It does not
/// validate UTF-8 here, so only quotes, backslashes and control characters change its state. The
/// bitmap of special bytes has these. A string without any of them is left out between its quotes.
/// YAJL validates everything else, and its verdict is the same. The callbacks get the string's span
/// in the chunk.
struct CondensedText: ~Copyable {
  /// The maximum bytes of a part. With its strings, it stays in the first cache.
  private static let maximumCapacity = 8 << 10

  private let capacity: Int
  private let stringCapacity: Int
  private let bytes: UnsafeMutablePointer<UInt8>
  private let strings: UnsafeMutablePointer<feedscan_string>

  /// - Parameter sliceBytes: the bytes of a slice, of which a part has at most a quarter. Tests use
  ///   small slices, so that there are several parts.
  init(sliceBytes: Int) {
    capacity = min(max(16, sliceBytes / 4), Self.maximumCapacity)
    stringCapacity = capacity / 8
    bytes = .allocate(capacity: capacity + Int(FEEDSCAN_CONDENSED_PADDING))
    strings = .allocate(capacity: stringCapacity)
  }

  deinit {
    bytes.deallocate()
    strings.deallocate()
  }

  /// Condenses the start of a range of the chunk, which begins and ends outside strings.
  ///
  /// - Returns: the text to parse, valid until the next call, and the end of its part of the range.
  func next(_ text: feedscan_text, _ range: Range<Int>) -> (text: ParsedText, end: Int) {
    let part = feedscan_condense(
      text, range.lowerBound, range.upperBound, bytes, capacity, strings,
      stringCapacity)
    guard part.byte_count > 0 else {
      return (ParsedText(chunk: text.chunk, range.lowerBound..<part.end), part.end)
    }
    let written = UnsafeBufferPointer(start: bytes, count: part.byte_count)
    let spans = UnsafeBufferPointer(start: strings, count: part.string_count)
    return (ParsedText(written, condensedFrom: range.lowerBound, strings: spans), part.end)
  }
}

/// Bytes that a lane's handle reads in one call, and their offsets in the chunk.
struct ParsedText {
  private(set) var bytes: UnsafePointer<UInt8>?
  let count: Int
  /// The offset in the chunk of a byte, less its offset here. It is that of the bytes between the
  /// last string that YAJL has passed on and the next one.
  private(set) var shift: Int
  // The strings left out that YAJL has not passed on.
  private var nextString: UnsafePointer<feedscan_string>?
  private let endOfStrings: UnsafePointer<feedscan_string>?
  // The first string, if these bytes begin with it. YAJL passes on the first token of a call from a
  // buffer of its own.
  private let firstToken: UnsafePointer<feedscan_string>?

  /// No bytes.
  init() {
    bytes = nil
    count = 0
    shift = 0
    nextString = nil
    endOfStrings = nil
    firstToken = nil
  }

  /// A range of the chunk as it is.
  init(chunk: UnsafePointer<UInt8>, _ range: Range<Int>) {
    bytes = chunk + range.lowerBound
    count = range.count
    shift = range.lowerBound
    nextString = nil
    endOfStrings = nil
    firstToken = nil
  }

  /// The text from an offset in the chunk on, without strings.
  fileprivate init(
    _ text: UnsafeBufferPointer<UInt8>, condensedFrom start: Int,
    strings: UnsafeBufferPointer<feedscan_string>
  ) {
    bytes = text.baseAddress
    count = text.count
    shift = start
    nextString = strings.baseAddress
    endOfStrings = strings.baseAddress.map { $0 + strings.count }
    // A string that was not left out has a character after its first quote.
    firstToken = text.starts(with: [0x22, 0x22]) ? nextString : nil
  }

  /// The offset in the chunk of a number that YAJL passes on; nil if it is in a buffer of YAJL.
  @inline(__always)
  func offset(of number: UnsafePointer<UInt8>) -> Int? {
    let offset = UInt(bitPattern: number) &- UInt(bitPattern: bytes)
    return offset < UInt(bitPattern: count) ? Int(bitPattern: offset) &+ shift : nil
  }

  /// The span in the chunk of a string that YAJL passes on. Nil if it is in a buffer of YAJL and has
  /// not been left out. Call this once for each string and key, in their order.
  @inline(__always)
  mutating func take(
    _ string: UnsafePointer<UInt8>, _ length: Int
  ) -> (offset: Int, length: Int)? {
    let offset = UInt(bitPattern: string) &- UInt(bitPattern: bytes)
    guard offset < UInt(bitPattern: count) else { return takeBuffered() }
    guard let span = nextString, span != endOfStrings else {
      return (Int(bitPattern: offset) &+ shift, length)
    }
    return take(span, closedAt: Int(bitPattern: offset))
  }

  /// - Parameter offset: the offset of its closing quote in these bytes.
  @inline(__always)
  private mutating func take(
    _ span: UnsafePointer<feedscan_string>, closedAt offset: Int
  ) -> (offset: Int, length: Int) {
    nextString = span + 1
    let start = Int(span.pointee.offset)
    let count = Int(span.pointee.length)
    shift = start &+ count &- offset
    return (start, count)
  }

  @inline(never)
  private mutating func takeBuffered() -> (offset: Int, length: Int)? {
    guard let span = firstToken, span == nextString else { return nil }
    return take(span, closedAt: 1)
  }
}
