@_spi(Ingest) package import FeedRecord

/// A Swift value of which a record can be made, so that a store takes it without its payload.
public protocol EncodablePayloadModel: PayloadModel {
  /// Gives the record's fields, by the ids of ``PayloadModel/schema``. The model that is made of
  /// the record must equal this one.
  func encode(into fields: inout RecordFields)
}

extension EncodablePayloadModel {
  /// Encodes the model behind the records before it.
  ///
  /// - Throws: ``RecordError`` if it does not fit its own schema.
  package func append(to encoder: inout RecordEncoder) throws(RecordError) {
    var fields = RecordFields(Self.schema)
    encode(into: &fields)
    try fields.append(to: &encoder)
  }
}
