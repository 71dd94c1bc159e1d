@_spi(Ingest) import FeedRecord
import LMDB

/// The indexes of a segment under construction for fields other than the key, and the pairs to be
/// added to them.
struct FieldIndexes {
  let builders: [KeyIndexBuilder]
  private let fields: [KeyField]
  private let layout: RecordLayout
  /// For each index, the pairs since the last call of `takePairs`.
  private var pairs: [[KeyPair]]
  /// The total number of waiting pairs.
  private(set) var pairCount = 0

  /// - Parameter memoryCapacity: the number of pairs that each index may hold in memory.
  init(_ tables: StoreTables, _ row: GenerationRow, memoryCapacity: Int) {
    layout = row.layout
    fields = row.indexedFields.map { KeyField($0, of: row.layout) }
    builders = row.indexedFields.indices.map { position in
      let place = KeyIndexOutput.Place(
        segment: row.generation, index: UInt8(clamping: position + 1))
      return KeyIndexBuilder(tables, place, memoryCapacity: memoryCapacity)
    }
    pairs = Array(repeating: [], count: builders.count)
  }

  var isEmpty: Bool { builders.isEmpty }

  /// Adds a record of the layout.
  mutating func add(
    _ record: RawSpan, isWide: Bool, ordinal: UInt32
  ) throws(StoreError) {
    // The view borrows its layout. A local copy keeps it from borrowing the whole value.
    let (fields, layout) = (fields, layout)
    do throws(RecordError) {
      let view = try RecordView(record, layout: layout, isWide: isWide)
      for index in fields.indices {
        let before = pairs[index].count
        try fields[index].forEachPair(view, ordinal: ordinal) { pairs[index].append($0) }
        pairCount += pairs[index].count - before
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// Returns the waiting pairs of each index and removes them.
  mutating func takePairs() -> [[KeyPair]] {
    let taken = pairs
    for index in pairs.indices { pairs[index].removeAll() }
    pairCount = 0
    return taken
  }
}
