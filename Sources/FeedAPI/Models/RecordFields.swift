@_spi(Ingest) import FeedRecord
import FeedSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The fields of one record to be stored, set by a model.
///
/// A field that is not set, or set to nil, is absent. Values that do not fit the schema are
/// reported when the record is stored.
public struct RecordFields {
  fileprivate enum Value {
    case text([UInt8])
    case texts([[UInt8]])
    case word(UInt64, FieldType)
    case boolean(Bool)
    case uuid(high: UInt64, low: UInt64)
  }

  private let schema: PayloadSchema
  private var values: [Value?]
  private var unknownID: UInt16?

  init(_ schema: PayloadSchema) {
    self.schema = schema
    values = Array(repeating: nil, count: schema.fields.count)
  }

  /// Sets a text.
  public mutating func set(_ id: UInt16, _ text: String?) {
    set(id, text.map { .text(Array($0.utf8)) })
  }

  /// Sets a URL, which is stored as its text.
  public mutating func set(_ id: UInt16, _ url: URL?) { set(id, url?.absoluteString) }

  /// Sets a list of texts.
  public mutating func set(_ id: UInt16, _ texts: [String]?) {
    set(id, texts.map { .texts($0.map { Array($0.utf8) }) })
  }

  /// Sets an integer.
  public mutating func set(_ id: UInt16, _ integer: Int64?) {
    set(id, integer.map { .word(UInt64(bitPattern: $0), .integer) })
  }

  /// Sets a number, which is stored bit for bit. It must be finite.
  public mutating func set(_ id: UInt16, _ number: Double?) {
    set(id, number.map { .word($0.bitPattern, .number) })
  }

  /// Sets a date of the years 0 to 9999, which is stored bit for bit.
  public mutating func set(_ id: UInt16, _ date: Date?) {
    set(id, date.map { .word($0.timeIntervalSinceReferenceDate.bitPattern, .date) })
  }

  /// Sets a boolean.
  public mutating func set(_ id: UInt16, _ boolean: Bool?) {
    set(id, boolean.map { .boolean($0) })
  }

  /// Sets a UUID.
  public mutating func set(_ id: UInt16, _ uuid: UUID?) {
    guard let uuid else { return set(id, nil as Value?) }
    let (high, low) = withUnsafeBytes(of: uuid.uuid) { bytes in
      (
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
    set(id, .uuid(high: high, low: low))
  }

  private mutating func set(_ id: UInt16, _ value: Value?) {
    guard let index = schema.fields.firstIndex(where: { $0.id == id }) else {
      unknownID = id
      return
    }
    values[index] = value
  }

  /// Encodes the record.
  ///
  /// - Throws: `RecordError` if a field is not in the schema, is missing, has another type or a
  ///   value that no payload can have, or if the record is too long.
  func append(to encoder: inout RecordEncoder) throws(RecordError) {
    try requireFitting()
    var size = 0
    for value in values { size += value?.variableByteCount ?? 0 }
    guard size <= RecordEncoder.maximumVariableByteCount else {
      throw RecordError(.outOfRange, "a record of \(schema.name) is too long to be stored")
    }
    encoder.begin(variableByteCount: size)
    for (index, value) in values.enumerated() {
      switch value {
      case .text(let bytes): encoder.setText(index, bytes.span.bytes)
      case .texts(let elements):
        encoder.beginList(index, count: elements.count)
        for element in elements { encoder.appendElement(element.span.bytes) }
      case .word(let word, _): encoder.setWord(index, word)
      case .boolean(let value): encoder.setBoolean(index, value)
      case .uuid(let high, let low): encoder.setUUID(index, high: high, low: low)
      case nil: break
      }
    }
    encoder.end(keyHash: keyHash)
  }

  private func requireFitting() throws(RecordError) {
    if let unknownID {
      throw RecordError(.typeMismatch, "\(schema.name) have no field \(unknownID)")
    }
    for (field, value) in zip(schema.fields, values) {
      guard let value else {
        guard !field.isRequired else {
          throw RecordError(
            .typeMismatch, "a record of \(schema.name) needs its field \(field.name)")
        }
        continue
      }
      guard value.type == field.recordField.type else {
        throw RecordError(
          .typeMismatch, "the field \(field.name) of \(schema.name) has another type")
      }
      if let reason = value.unfitness(for: field) {
        throw RecordError(
          .outOfRange, "the field \(field.name) of \(schema.name) cannot be \(reason)")
      }
    }
  }

  private var keyHash: UInt64 {
    guard let index = schema.fields.firstIndex(of: schema.keyField) else { return 0 }
    switch values[index] {
    case .text(let bytes): return KeyHash.hash(bytes.span.bytes)
    case .uuid(let high, let low):
      let bytes = UUIDText.bytes(high: high, low: low)
      return KeyHash.hash(bytes.span.bytes)
    default: return 0
    }
  }
}

extension RecordFields.Value {
  var variableByteCount: Int {
    switch self {
    case .text(let bytes): bytes.count
    case .texts(let elements):
      RecordEncoder.listOverhead(count: elements.count) + elements.reduce(0) { $0 + $1.count }
    case .word, .boolean, .uuid: 0
    }
  }

  /// Describes a value that no payload can have in such a field; nil if it is possible.
  func unfitness(for field: PayloadSchema.Field) -> String? {
    switch (field.kind, self) {
    case (.number, .word(let bits, _)):
      let number = Double(bitPattern: bits)
      return number.isFinite ? nil : "\(number)"
    case (.date, .word(let bits, _)):
      let seconds = Double(bitPattern: bits)
      return DateText.text(referenceSeconds: seconds) == nil
        ? "a date outside the years 0 to 9999" : nil
    case (.url, .text(let bytes)) where field.isRequired:
      return URLText.isReadable(bytes.span.bytes) ? nil : "a text that is no URL"
    default: return nil
    }
  }

  var type: FieldType {
    switch self {
    case .text: .text
    case .texts: .textList
    case .word(_, let type): type
    case .boolean: .boolean
    case .uuid: .uuid
    }
  }
}
