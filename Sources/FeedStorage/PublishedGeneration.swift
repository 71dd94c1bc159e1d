/// A published generation as readers use it; made once and kept until it is renewed.
final class PublishedGeneration: Sendable {
  let row: GenerationRow
  let description: FeedDescription
  /// For each segment, the blocks whose checksums this process has verified.
  let checks: [SegmentChecks]

  init(_ row: GenerationRow, envelope: [UInt8]) {
    self.row = row
    description = row.description(envelope: envelope)
    checks = row.segments.map {
      SegmentChecks($0, indexCount: 1 + row.indexedFields.count)
    }
  }

  /// A generation that was renewed: its records are as before, and so are their proofs.
  init(_ row: GenerationRow, of known: PublishedGeneration) {
    self.row = row
    description = row.description(envelope: known.description.envelope)
    checks = known.checks
  }

  /// Where a position of the feed lies; past the end, the end of the last segment.
  func place(of position: Int) -> (segment: Int, ordinal: UInt64) {
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
