@_spi(Ingest) package import FeedRecord
package import FeedSchema

// Documents that conform to one of the app's contracts are read by the fields of the contract.
extension Feed {
  /// The schema of the records that ``withFields(of:_:)`` passes: the app's contract for documents
  /// that conform to it, and ``schema`` for all other records.
  package var contract: PayloadSchema { generation.format.contract }

  /// Passes a record with the fields of ``contract``. If the documents of the feed conform to a
  /// contract of an app, the record is converted; otherwise it is passed unchanged.
  ///
  /// - Throws: `damaged`, also for a document that does not conform; the error of `body`
  package func withFields<Result>(
    of record: borrowing RecordView,
    _ body: (borrowing RecordView) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try generation.format.withFields(of: record, body)
  }

  /// The bytes to look up a key of ``contract`` that is given as text; empty if no record can have
  /// the key.
  ///
  /// Documents are looked up by the text of the key as they contain it. For a UUID, the result has
  /// the given text and its forms in upper and lower case.
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
  /// The schema of the records that ``withFields(of:_:)`` passes.
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
