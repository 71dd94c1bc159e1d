import FeedSchema

/// A published generation for readers; created once and cached until it is renewed.
final class PublishedGeneration: Sendable {
  let row: GenerationRow
  let description: FeedDescription
  let readers: [SegmentReader]
  /// The lookup fields, in the order of their indexes.
  let keyFields: [KeyField]
  let format: RecordFormat
  private let mapping: UInt

  /// - Parameter mapping: the mapping from which the row was read
  init(
    _ row: GenerationRow, envelope: [UInt8], _ schema: StoredSchema, in tables: StoreTables,
    mapping: UInt
  ) {
    self.row = row
    self.mapping = mapping
    format = RecordFormat(schema.schema)
    description = row.description(envelope: envelope, schema)
    let fields = [row.keyField] + row.indexedFields
    keyFields = fields.map { KeyField($0, of: row.layout) }
    readers = row.segments.map { segment in
      let verified = VerifiedBlocks(segment, indexCount: fields.count)
      return SegmentReader(
        tables, segment, row.layout, verified,
        BlockLocationCache(segment, row.layout, verified, mapping: mapping))
    }
  }

  /// A generation that was renewed, or read from another mapping: its records and their
  /// verification results are unchanged.
  init(_ row: GenerationRow, of known: PublishedGeneration, mapping: UInt) {
    self.row = row
    self.mapping = mapping
    description = row.description(
      envelope: known.description.envelope, known.description.storedSchema)
    keyFields = known.keyFields
    format = known.format
    readers =
      mapping == known.mapping ? known.readers : known.readers.map { $0.moved(to: mapping) }
  }

  /// Whether it corresponds to a row that was read from a mapping.
  func isOf(_ row: GenerationRow, mapping: UInt) -> Bool {
    self.mapping == mapping && self.row == row
  }

  /// The segment and ordinal of a position in the feed; beyond the end, the segment count and 0.
  func location(of position: Int) -> (segment: Int, ordinal: UInt64) {
    var rest = UInt64(clamping: position)
    for (index, segment) in row.segments.enumerated() {
      if rest < segment.recordCount { return (index, rest) }
      rest -= segment.recordCount
    }
    return (row.segments.count, 0)
  }

  /// The position in the feed of a segment's first record.
  func start(of segment: Int) -> Int {
    Int(clamping: row.segments[..<segment].reduce(0) { $0 &+ $1.recordCount })
  }
}
