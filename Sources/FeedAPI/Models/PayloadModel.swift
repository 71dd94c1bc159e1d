@_spi(Ingest) public import FeedRecord
public import FeedSchema
import URLEscaping

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A Swift value that is created from a record.
public protocol PayloadModel: Sendable {
  /// The contract of its records.
  static var schema: PayloadSchema { get }

  /// Creates the value. Copies what it needs, because the record is borrowed for this call only.
  ///
  /// - Throws: `RecordError` if a required field is missing or damaged.
  init(_ record: borrowing RecordView) throws(RecordError)
}

/// A Swift value that can be converted to a record, so that a store accepts it without a payload.
public protocol EncodablePayloadModel: PayloadModel {
  /// Sets the record's fields, by the ids of ``PayloadModel/schema``. A model created from the
  /// record must equal this one.
  func encode(into fields: inout RecordFields)
}

extension EncodablePayloadModel {
  /// Encodes the model after the previous records.
  ///
  /// - Throws: `RecordError` if it does not fit its own schema.
  package func append(to encoder: inout RecordEncoder) throws(RecordError) {
    var fields = RecordFields(Self.schema)
    encode(into: &fields)
    try fields.append(to: &encoder)
  }
}

extension RecordBatch {
  /// The records as Swift values.
  ///
  /// - Throws: `typeMismatch` or `damaged` if the model's fields are not the schema's.
  public func models<Model: PayloadModel>(
    _ type: Model.Type = Model.self
  ) throws(RecordError) -> [Model] {
    var result: [Model] = []
    result.reserveCapacity(count)
    for index in 0..<count {
      result.append(
        try withRecord(at: index) { (record) throws(RecordError) in try Model(record) })
    }
    return result
  }
}

extension ParsedRecord {
  /// The record as a Swift value.
  ///
  /// - Throws: `typeMismatch` or `damaged` if the model's fields are not the schema's.
  public func model<Model: PayloadModel>(
    _ type: Model.Type = Model.self
  ) throws(RecordError) -> Model {
    try withView { (record) throws(RecordError) in try Model(record) }
  }
}

extension RecordView {
  /// A required text field.
  public func requiredText(_ id: UInt16) throws(RecordError) -> String {
    try Self.required(text(id), id)
  }

  /// The elements of a list field.
  public func texts(_ id: UInt16) throws(RecordError) -> [String]? {
    guard let list = try textList(id) else { return nil }
    var result: [String] = []
    result.reserveCapacity(list.count)
    for index in 0..<list.count { result.append(try list.element(at: index)) }
    return result
  }

  /// A URL field. Characters that no URL has are escaped. Nil also for a text that cannot be a URL.
  public func url(_ id: UInt16) throws(RecordError) -> URL? {
    try text(id).flatMap { URL(escaping: $0) }
  }

  /// A required URL field.
  public func requiredURL(_ id: UInt16) throws(RecordError) -> URL {
    try Self.required(url(id), id)
  }

  /// A required UUID field.
  public func requiredUUID(_ id: UInt16) throws(RecordError) -> UUID {
    let halves = try Self.required(uuid(id), id)
    let bytes = UUIDText.bytes(high: halves.high, low: halves.low)
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
        bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  /// A required date field, bit for bit.
  public func requiredDate(_ id: UInt16) throws(RecordError) -> Date {
    Date(timeIntervalSinceReferenceDate: try Self.required(date(id), id))
  }

  private static func required<Value>(
    _ value: Value?, _ id: UInt16
  ) throws(RecordError) -> Value {
    guard let value else { throw RecordError(.damaged, "the required field \(id) is missing") }
    return value
  }
}
