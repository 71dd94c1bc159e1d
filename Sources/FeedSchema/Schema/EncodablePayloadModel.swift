@_spi(Ingest) package import FeedRecord

/// A Swift value that can be converted to a record, so that a store accepts it without a payload.
public protocol EncodablePayloadModel: PayloadModel {
  /// Sets the record's fields, by the ids of ``PayloadModel/schema``. A model created from the
  /// record must equal this one.
  func encode(into fields: inout RecordFields)
}

extension EncodablePayloadModel {
  /// Encodes the model after the previous records.
  ///
  /// - Throws: ``RecordError`` if it does not fit its own schema.
  package func append(to encoder: inout RecordEncoder) throws(RecordError) {
    var fields = RecordFields(Self.schema)
    encode(into: &fields)
    try fields.append(to: &encoder)
  }
}
