/// Text of a document without white space outside strings, in pieces of limited size.
struct EnvelopeText {
  private static let pieceBytes = 64 << 10

  private var piece: [UInt8] = []
  private var isInString = false
  private var isEscaped = false
  /// True for text after the records. Text that was appended before must have been flushed.
  var isAfterRecords = false

  /// Appends text that follows the previous one, and passes full pieces to a consumer.
  mutating func append(_ text: UnsafeBufferPointer<UInt8>, to consumer: any RecordConsumer) {
    var start = 0
    while start < text.count {
      let end = min(text.count, start + Self.pieceBytes - piece.count)
      strip(UnsafeBufferPointer(rebasing: text[start..<end]))
      start = end
      if piece.count == Self.pieceBytes { flush(to: consumer) }
    }
  }

  private mutating func strip(_ text: UnsafeBufferPointer<UInt8>) {
    // The state is kept in registers.
    var (isInString, isEscaped) = (isInString, isEscaped)
    let stripped = [UInt8](unsafeUninitializedCapacity: text.count) { bytes, count in
      for byte in text {
        let isKept = isInString || !RecordReader.isSpace(byte)
        bytes[count] = byte
        count += isKept ? 1 : 0
        if byte == 0x22 && !isEscaped { isInString.toggle() }
        isEscaped = isInString && byte == 0x5C && !isEscaped
      }
    }
    (self.isInString, self.isEscaped) = (isInString, isEscaped)
    piece.append(contentsOf: stripped)
  }

  /// Passes the rest to a consumer.
  mutating func flush(to consumer: any RecordConsumer) {
    guard !piece.isEmpty else { return }
    consumer.takeEnvelope(piece.span.bytes, isAfterRecords: isAfterRecords)
    piece.removeAll(keepingCapacity: true)
  }
}
