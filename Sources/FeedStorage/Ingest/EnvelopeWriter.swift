/// Gathers the text around the records of a document.
///
/// A text of at most 64 KiB is a value of the generation. A longer one is written in parts, so that
/// memory does not grow with it.
struct EnvelopeWriter {
  /// The text before the records and the text after them, until it is written in parts.
  private(set) var before: [UInt8] = []
  private(set) var after: [UInt8] = []
  /// The number of written parts.
  private(set) var chunkCount: UInt32 = 0
  /// The number of these that precede the records.
  private(set) var chunksBefore: UInt32 = 0
  private var isChunked = false

  /// Whether nothing was added.
  var isEmpty: Bool { before.isEmpty && after.isEmpty && chunkCount == 0 }

  /// The text, if it has not been written in parts.
  var text: [UInt8] { before + after }

  /// Adds text after all previous text. Passes full parts to `write`.
  mutating func append(
    _ text: borrowing RawSpan, isAfterRecords: Bool,
    write: (_ part: [UInt8], _ number: UInt32) throws(StoreError) -> Void
  ) throws(StoreError) {
    let bytes = text.withUnsafeBytes { Array($0) }
    if isAfterRecords { after += bytes } else { before += bytes }
    guard before.count + after.count > EnvelopeChunk.maximumValueBytes else { return }
    isChunked = true
    try flush(write)
  }

  /// If the text is written in parts, writes the rest of it.
  mutating func finish(
    write: (_ part: [UInt8], _ number: UInt32) throws(StoreError) -> Void
  ) throws(StoreError) {
    if isChunked { try flush(write) }
  }

  private mutating func flush(
    _ write: (_ part: [UInt8], _ number: UInt32) throws(StoreError) -> Void
  ) throws(StoreError) {
    if !before.isEmpty {
      try write(before, chunkCount)
      chunkCount += 1
      chunksBefore = chunkCount
      before = []
    }
    if !after.isEmpty {
      try write(after, chunkCount)
      chunkCount += 1
      after = []
    }
  }
}
