import CFeedScan
@_spi(Ingest) package import FeedRecord
@_spi(Records) import JSONStream

/// Reads the texts of documents as records of a contract. The documents may have further keys.
package struct ContractConversion: Sendable {
  /// The contract of the records.
  package let contract: PayloadSchema
  private let outline: ContractOutline

  package init(_ contract: PayloadSchema) {
    self.contract = contract
    outline = ContractOutline(contract, otherKeys: .allowed)
  }

  /// Whether a record conforms to the contract: each required field is there, each value fits its
  /// field, and no key of a field is repeated. It may have further keys. Lanes reach the same
  /// verdict from counted values, by ``ContractCheck``.
  package func accepts(_ text: RawSpan) -> Bool { outline.accepts(text) }

  /// Encodes a record of the contract.
  ///
  /// An optional value that does not fit its field is absent: a later version of a contract may have
  /// fields that were not checked when the record was stored.
  ///
  /// - Returns: false if a required value is missing or does not fit; nothing is encoded then.
  package func encode(_ text: RawSpan, into encoder: inout RecordEncoder) -> Bool {
    guard let places = outline.places(in: text) else { return false }
    var values: [Value] = []
    values.reserveCapacity(contract.fields.count)
    var size = 0
    for (index, field) in contract.fields.enumerated() {
      var value = Value.absent
      if let place = places[index] { value = Value(field, text, at: place) ?? .absent }
      if field.isRequired, !value.isPresent { return false }
      size += value.variableByteCount
      values.append(value)
    }
    guard size <= RecordEncoder.maximumVariableByteCount else { return false }
    encoder.begin(variableByteCount: size)
    for (index, value) in values.enumerated() { value.set(index, in: &encoder) }
    encoder.end(keyHash: 0)
    return true
  }

  /// A value in the form of its field.
  private enum Value {
    case absent, null
    case text([UInt8])
    case list([[UInt8]])
    case fixed(FixedValue)

    /// - Returns: nil if the value does not fit.
    init?(_ field: PayloadSchema.Field, _ text: RawSpan, at place: Int) {
      var cursor = JSONCursor(text, at: place)
      let kind = cursor.nextKind()
      switch (field.kind, kind) {
      case (_, .null): self = .null
      case (.text, .string), (.url, .string):
        guard let bytes = Self.bytes(&cursor) else { return nil }
        if field.kind == .url, field.isRequired, !URLText.isReadable(bytes.span.bytes) {
          return nil
        }
        self = .text(bytes)
      case (.textList, .array):
        guard let elements = Self.elements(&cursor) else { return nil }
        self = .list(elements)
      default:
        let value = ContractOutline.scalar(&cursor) { bytes in
          FixedValue(field.kind, kind?.ofTape ?? .absent, bytes)
        }
        guard let value, let value else { return nil }
        self = .fixed(value)
      }
    }

    private static func bytes(_ cursor: inout JSONCursor) -> [UInt8]? {
      cursor.nextString()?.decoded(in: cursor.bytes)
    }

    private static func elements(_ cursor: inout JSONCursor) -> [[UInt8]]? {
      guard cursor.enter() == .array else { return nil }
      var elements: [[UInt8]] = []
      while cursor.nextElement() != nil {
        guard let bytes = bytes(&cursor) else { return nil }
        elements.append(bytes)
      }
      return cursor.isStopped ? nil : elements
    }

    var isPresent: Bool {
      switch self {
      case .absent, .null: false
      case .text, .list, .fixed: true
      }
    }

    var variableByteCount: Int {
      switch self {
      case .text(let bytes): bytes.count
      case .list(let elements):
        RecordEncoder.listOverhead(count: elements.count) + elements.reduce(0) { $0 + $1.count }
      case .absent, .null, .fixed: 0
      }
    }

    func set(_ field: Int, in encoder: inout RecordEncoder) {
      switch self {
      case .absent: break
      case .null: encoder.setNull(field)
      case .text(let bytes): encoder.setText(field, bytes.span.bytes)
      case .list(let elements):
        encoder.beginList(field, count: elements.count)
        for element in elements { encoder.appendElement(element.span.bytes) }
      case .fixed(.word(let word)): encoder.setWord(field, word)
      case .fixed(.boolean(let value)): encoder.setBoolean(field, value)
      case .fixed(.uuid(let high, let low)): encoder.setUUID(field, high: high, low: low)
      }
    }
  }
}
