/// The fields next to the records of a wrapped document, as minified JSON with an empty array of
/// records. An export inserts the records there.
struct Envelope {
  private(set) var text: [UInt8] = []
  /// The offset in `text` between the brackets of the array of records.
  private(set) var insertion: Int?
  /// True once the text was too long and was dropped.
  private(set) var isDropped = false
  private var needsComma = false

  mutating func drop() {
    isDropped = true
    text = []
  }

  mutating func key(_ key: UnsafeBufferPointer<UInt8>) {
    separate()
    JSONText.appendString(UnsafeRawBufferPointer(key).bytes, to: &text)
    text.append(0x3A)
    needsComma = false
  }

  mutating func open(_ bracket: UInt8) {
    separate()
    text.append(bracket)
    needsComma = false
  }

  /// Marks the last opening bracket as that of the records.
  mutating func markRecords() { insertion = text.count }

  mutating func close(_ bracket: UInt8) {
    text.append(bracket)
    needsComma = true
  }

  mutating func scalar(_ event: Trace.Event) {
    separate()
    switch event {
    case .literal(let word):
      word.withUTF8Buffer { text.append(contentsOf: $0) }
    case .number(let digits): text.append(contentsOf: digits)
    case .string(let value):
      JSONText.appendString(UnsafeRawBufferPointer(value).bytes, to: &text)
    case .key, .startObject, .startArray, .end: break
    }
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { text.append(0x2C) }
  }
}
