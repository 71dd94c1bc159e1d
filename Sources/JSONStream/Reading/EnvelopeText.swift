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
    for byte in text {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == 0x5C {
          isEscaped = true
        } else if byte == 0x22 {
          isInString = false
        }
      } else if RecordReader.isSpace(byte) {
        continue
      } else if byte == 0x22 {
        isInString = true
      }
      piece.append(byte)
      if piece.count == Self.pieceBytes { flush(to: consumer) }
    }
  }

  /// Passes the rest to a consumer.
  mutating func flush(to consumer: any RecordConsumer) {
    guard !piece.isEmpty else { return }
    consumer.takeEnvelope(piece.span.bytes, isAfterRecords: isAfterRecords)
    piece.removeAll(keepingCapacity: true)
  }
}
