import FeedRecord
import FeedSchema
import LMDB

/// A state of a feed in a shared store. Every change makes a later one.
package struct SharedState: Hashable, Comparable, Sendable {
  static let byteCount = 16

  let generation: UInt64
  let revision: UInt64

  init(generation: UInt64, revision: UInt64) {
    (self.generation, self.revision) = (generation, revision)
  }

  /// Reads the state at the start of a row, also of a damaged one; nil if there are too few bytes.
  package init?(_ row: RawSpan) {
    guard let generation = row.littleEndian(at: 0, as: UInt64.self),
      let revision = row.littleEndian(at: 8, as: UInt64.self)
    else { return nil }
    self.init(generation: generation, revision: revision)
  }

  package static func < (first: SharedState, second: SharedState) -> Bool {
    (first.generation, first.revision) < (second.generation, second.revision)
  }
}

/// The row of a feed as copies of a shared store exchange it.
///
/// It consists of a head of 28 bytes in little-endian order (generation u64, revision u64, store
/// u64, length of the row u32), the row as a store holds it, and the text around the records.
package struct SharedRow: Hashable, Sendable {
  /// The length of the generation and the revision, which identify a state of a feed.
  package static let stateBytes = SharedState.byteCount
  private static let headBytes = 28

  private(set) var row: GenerationRow
  let envelope: [UInt8]
  /// The identifier of the shared store.
  package let store: UInt64

  package var name: FeedName { row.name }
  package var generation: UInt64 { row.generation }
  /// The number of changes of the description since the generation was published.
  package var revision: UInt64 { row.revision }
  package var state: SharedState { SharedState(generation: generation, revision: revision) }
  /// Whether the feed was deleted.
  package var isDeleted: Bool { row.state == .dead }
  /// When the feed was deleted, or known to be current; seconds since 2001-01-01T00:00:00Z.
  package var referenceSeconds: Double { Double(bitPattern: row.referenceBits) }
  /// The length of the schema's text; 0 if none is stored.
  package var schemaByteCount: Int { Int(row.details.schemaByteCount) }
  /// The bytes of blocks and indexes.
  package var byteCount: UInt64 { row.byteCount }
  /// The numbers of the segments.
  package var segments: [UInt64] { row.segments.map(\.identifier) }
  /// The description of the feed, without its schema.
  package var description: FeedDescription { row.description(envelope: envelope, nil) }

  init(_ row: GenerationRow, envelope: [UInt8], store: UInt64) {
    self.row = row
    self.envelope = envelope
    self.store = store
  }

  /// The row that marks a feed as deleted.
  ///
  /// - Parameters:
  ///   - number: the number of a generation
  ///   - seconds: the time, in seconds since 2001-01-01T00:00:00Z
  package static func tombstone(of row: SharedRow, number: UInt64, seconds: Double) -> SharedRow {
    var dead = GenerationRow(
      state: .dead, generation: number, name: row.name, kind: row.row.kind, layout: row.row.layout,
      keyField: row.row.keyField, segments: [])
    dead.referenceBits = seconds.bitPattern
    dead.details.keyFields = row.row.details.keyFields
    return SharedRow(dead, envelope: [], store: row.store)
  }

  /// Changes the timestamp and the validators.
  mutating func renew(referenceSeconds: Double, _ validators: ResponseValidators?) {
    row.renew(referenceSeconds: referenceSeconds, validators, countsRevision: true)
  }

  /// Whether this state of a feed is later than another state.
  package func isLater(than other: SharedRow) -> Bool {
    state > other.state
  }

  // MARK: Bytes

  package func encoded() -> [UInt8] {
    var head = RowWriter()
    head.write(generation)
    head.write(revision)
    head.write(store)
    let text = row.encoded()
    head.write(UInt32(clamping: text.count))
    return head.bytes + text + envelope
  }

  /// The identifier of the shared store in the bytes of a row; nil if they are too short.
  package static func store(of bytes: RawSpan) -> UInt64? {
    bytes.littleEndian(at: 16, as: UInt64.self)
  }

  /// - Throws: `damaged`; `incompatible` for the row of another store or of a later version
  package init(_ bytes: RawSpan, ofStore expected: UInt64) throws(StoreError) {
    guard let generation = bytes.littleEndian(at: 0, as: UInt64.self),
      let revision = bytes.littleEndian(at: 8, as: UInt64.self),
      let store = bytes.littleEndian(at: 16, as: UInt64.self),
      let length = bytes.littleEndian(at: 24, as: UInt32.self),
      bytes.byteCount - Self.headBytes >= Int(length)
    else { throw RowReader.damaged }
    guard store == expected else {
      throw StoreError(
        .incompatible, "its row belongs to another shared store; ingest the feed again")
    }
    self.store = store
    let end = Self.headBytes + Int(length)
    row = try GenerationRow(bytes.extracting(Self.headBytes..<end))
    envelope = Array(copying: bytes.extracting(end...))
    guard row.generation == generation, row.revision == revision, row.state != .building,
      row.envelopeByteCount == envelope.count,
      envelope.isEmpty || row.envelopeHash == KeyHash.hash(envelope.span.bytes),
      generation < StoreFormat.numberLimit
    else { throw RowReader.damaged }
    try requireCounts()
  }

  /// Requires that the row states how many blocks each index has. Rows of early versions do not.
  private func requireCounts() throws(StoreError) {
    guard !isDeleted else { return }
    let counts = row.details.indexBlockCounts
    guard counts.count == row.segments.count,
      // A segment without records has no index.
      zip(counts, row.segments).allSatisfy({ $1.recordCount == 0 || !$0.contains(0) }),
      Set(segments).count == row.segments.count
    else {
      throw StoreError(
        .incompatible,
        "the feed \(row.name) does not state the blocks of its indexes; ingest it again")
    }
  }
}

extension GenerationRow {
  /// Changes the timestamp, and the validators unless nil keeps them.
  mutating func renew(
    referenceSeconds: Double, _ validators: ResponseValidators?, countsRevision: Bool
  ) {
    referenceBits = referenceSeconds.bitPattern
    self.validators = validators ?? self.validators
    if countsRevision { revision += 1 }
  }

  /// The tag of the revision among the additions of a row. Readers need not know it.
  private static let revisionTag: UInt16 = 1

  mutating func removeRevision() {
    details.extensions.removeAll { $0.tag == Self.revisionTag }
  }

  /// The number of changes of the description since the generation was published in a shared store.
  var revision: UInt64 {
    get {
      let addition = details.extensions.first { $0.tag == Self.revisionTag }
      return addition?.bytes.span.bytes.littleEndian(at: 0, as: UInt64.self) ?? 0
    }
    set {
      var bytes = RowWriter()
      bytes.write(newValue)
      removeRevision()
      details.extensions.append(.init(tag: Self.revisionTag, bytes: bytes.bytes))
    }
  }
}
