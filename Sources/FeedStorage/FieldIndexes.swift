@_spi(Ingest) import FeedRecord
import LMDB

/// The indexes of a segment under construction by fields other than the key, and the pairs that
/// wait to be added to them.
struct FieldIndexes {
  let builders: [KeyIndexBuilder]
  private let fields: [KeyField]
  private let layout: RecordLayout
  /// For each index the pairs since they were taken last.
  private var pairs: [[KeyPair]]
  /// How many these are together.
  private(set) var pairCount = 0

  /// - Parameter memoryCapacity: pairs that each index may hold in memory.
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
    // The view borrows its layout, and must not borrow all of this value with it.
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

  /// Gives the pairs that wait, for each index, and forgets them.
  mutating func takePairs() -> [[KeyPair]] {
    let taken = pairs
    for index in pairs.indices { pairs[index].removeAll() }
    pairCount = 0
    return taken
  }
}
