@_spi(Ingest) package import FeedRecord
package import FeedSchema

// Documents that conform to a contract of the apps are read by its fields.
extension Feed {
  /// The schema whose fields the records have in ``withFields(of:_:)``: the app's contract to which
  /// documents conform, and ``schema`` for all others.
  package var contract: PayloadSchema { generation.format.contract }

  /// Passes a record with the fields of ``contract``: a document that conforms to it is converted,
  /// and any other record passed as it is.
  ///
  /// - Throws: `damaged`, also for a document that does not conform; the error of `body`
  package func withFields<Result>(
    of record: borrowing RecordView,
    _ body: (borrowing RecordView) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try generation.format.withFields(of: record, body)
  }

  /// The bytes by which a record with a key of ``contract`` may be found, which is given as text;
  /// empty if no record can have it.
  ///
  /// The key of documents is the text that they have for it. The digits of a UUID may be upper or
  /// lower case there.
  package func contractKeys(ofText text: String) -> [[UInt8]] {
    guard let key = contract.keyBytes(text) else { return [] }
    guard schema.document != nil, contract.keyField.kind == .uuid else { return [key] }
    return [text, text.uppercased(), text.lowercased()].reduce(into: []) { keys, text in
      let bytes = Array(text.utf8)
      if !keys.contains(bytes) { keys.append(bytes) }
    }
  }
}

extension RecordFormat {
  /// The schema of what ``withFields(of:_:)`` passes.
  var contract: PayloadSchema { conversion?.contract ?? schema }

  func withFields<Result>(
    of record: borrowing RecordView,
    _ body: (borrowing RecordView) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard let conversion, let text else { return try body(record) }
    var encoder = RecordEncoder(layout: conversion.contract.layout)
    let view: RecordView
    do throws(RecordError) {
      guard let json = try record.rawJSON(text), conversion.encode(json, into: &encoder) else {
        throw RecordError(.damaged, "a document does not conform to \(schema.name)")
      }
      view = try RecordView(
        encoder.bytes(at: 0), layout: conversion.contract.layout, isWide: encoder.isWide(at: 0))
    } catch {
      throw StoreError(error)
    }
    return try body(view)
  }
}
