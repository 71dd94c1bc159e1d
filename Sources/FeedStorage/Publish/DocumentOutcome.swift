package import FeedSchema
import JSONStream
import LMDB

/// The schema and statistics of documents that have all been read, and the choice of their key.
///
/// While documents are read, each field that may become the key has an index. At the end the indexes
/// show how distinct the values are. The best field becomes the key, and the indexes of the others
/// are removed. All of this happens in the transaction that publishes the feed.
package struct DocumentOutcome {
  /// The schema while the documents were read.
  package var schema: PayloadSchema
  /// The fields that may become the key, the best one first; empty if the key was given.
  package var candidates: [UInt16]
  /// The fields whose indexes are kept.
  package var indexedFields: [UInt16]
  package var statistics: DocumentStatistics
  /// The app's contract to which all documents conform, including those of a feed that is added to.
  package var contract: PayloadSchema?

  package init(
    _ schema: PayloadSchema, candidates: [UInt16], indexedFields: [UInt16],
    statistics: DocumentStatistics, contract: PayloadSchema? = nil
  ) {
    self.contract = contract
    self.schema = schema
    self.candidates = candidates
    self.indexedFields = indexedFields
    self.statistics = statistics
  }

  /// Chooses the kind and the key, keeps the requested indexes, and describes both in the row.
  ///
  /// - Returns: the text of the schema.
  func choose(
    _ row: inout GenerationRow, _ written: inout WrittenSegment, _ tables: StoreTables,
    _ transaction: inout WriteTransaction
  ) throws(StoreError) -> [UInt8] {
    var schema = schema.conforming(to: contract)
    row.kind = schema.name
    if !candidates.isEmpty {
      let all = [row.keyField] + row.indexedFields
      // Every document that conforms to the contract has the contract's key.
      let key =
        contract.flatMap { schema.documentField($0.keyField.path)?.id }
        ?? candidates.first { isKey($0, all, written, mayRepeat: false) }
        ?? candidates.first { isKey($0, all, written, mayRepeat: true) }
      schema = schema.keyed(by: key.map { .field($0) } ?? .position)
      try reorder(all, to: schema, &row, &written, tables, &transaction)
    }
    if let form = schema.document { row.details.describe(form) }
    schema = schema.indexed(by: row.indexedFields)
    let text = schema.documentText(statistics)
    if text.count <= PayloadSchema.maximumTextBytes { return text }
    let shorter = schema.documentText(statistics.withoutHistograms)
    if shorter.count <= PayloadSchema.maximumTextBytes { return shorter }
    // Only the fields are needed to read the records.
    return schema.documentText(nil)
  }

  /// Whether all records have a field and its values are distinct. With `mayRepeat`, up to one
  /// percent of the records may repeat a value.
  private func isKey(
    _ field: UInt16, _ indexed: [UInt16], _ written: WrittenSegment, mayRepeat: Bool
  ) -> Bool {
    guard let number = indexed.firstIndex(of: field), written.indexes.indices.contains(number)
    else { return written.recordCount == 0 }
    let index = written.indexes[number]
    let records = Double(written.recordCount)
    // The index stores half of each hash, and some different values share that half.
    let expected = records * records / Double(1 << 33)
    let repeated = max(0, Double(index.repeatedHashes) - expected - 4 * expected.squareRoot())
    let missing = records - Double(index.pairCount)
    return missing == 0 && (mayRepeat ? repeated * 100 <= records : repeated < 1)
  }

  /// Gives the requested indexes the numbers that the row lists, and removes the others.
  private func reorder(
    _ all: [UInt16], to schema: PayloadSchema, _ row: inout GenerationRow,
    _ written: inout WrittenSegment, _ tables: StoreTables,
    _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    row.keyField = schema.keyField.id
    row.indexedFields = indexedFields.filter { $0 != row.keyField }.sorted()
    guard !written.indexes.isEmpty else { return }
    let wanted = [row.keyField] + row.indexedFields
    guard wanted != all else { return }
    var results: [IndexResult] = []
    var moved: [(from: UInt8, to: UInt8)] = []
    for (number, field) in all.enumerated() where !wanted.contains(field) {
      try tables.removeIndex(UInt8(clamping: number), of: written.identifier, &transaction)
    }
    for (number, field) in wanted.enumerated() {
      guard let old = all.firstIndex(of: field) else {
        // Records that are looked up by their positions have an empty index.
        results.append(
          try tables.writeEmptyIndex(
            UInt8(clamping: number), of: written.identifier, &transaction))
        continue
      }
      results.append(written.indexes[old])
      if old != number { moved.append((UInt8(clamping: old), UInt8(clamping: number))) }
    }
    // Indexes move through unused numbers, because two indexes may exchange theirs.
    for move in moved {
      try tables.moveIndex(
        move.from, to: StoreFormat.temporaryIndex + move.to, of: written.identifier,
        &transaction)
    }
    for move in moved {
      try tables.moveIndex(
        StoreFormat.temporaryIndex + move.to, to: move.to, of: written.identifier, &transaction)
    }
    written.indexes = results
  }
}

extension GenerationDetails {
  /// Describes documents.
  mutating func describe(_ document: DocumentForm) {
    form = .document
    framing = document.plan.framing
    recordsPointer = document.plan.pointer
    switch document.key {
    case .position: (keyKind, keyFields) = (.position, [])
    case .member: (keyKind, keyFields) = (.member, [])
    case .field(let id): (keyKind, keyFields) = (.fields, [id])
    }
  }
}
