import CFeedScan
@_spi(Records) import JSONStream

/// What the harness selects from each record.
enum HarnessSelection {
  /// The values that the judge models too.
  case plain
  /// Inner objects with equal keys, one of them in another, and lists, one of them in an object.
  case nested
  /// Every value.
  case everything

  fileprivate var selection: Selection {
    switch self {
    case .plain: Self.plainPaths
    case .nested: Self.nestedPaths
    case .everything: .everything
    }
  }

  private static let plainPaths = Selection([
    .init(["name"]), .init(["tags"], isList: true), .init(["by", "id"]),
  ])

  private static let nestedPaths = Selection([
    .init(["source", "id"]), .init(["source", "name"]), .init(["deep", "id"]),
    .init(["deep", "name"]), .init(["deep", "list"], isList: true), .init(["deep", "in", "id"]),
    .init(["author"]), .init(["title"]), .init(["description"]), .init(["url"]), .init(["name"]),
    .init(["domains"], isList: true), .init(["web_pages"], isList: true), .init(["country"]),
    .init(["n"]),
  ])
}

/// Collects what the reader delivers.
final class HarnessConsumer: RecordConsumer {
  let recordKeys = DocumentJudge.recordKeys
  private let settings: ParserHarness.Settings
  fileprivate(set) var records: [ParserHarness.Delivery] = []
  private(set) var refused: [ParserHarness.Delivery] = []

  init(_ settings: ParserHarness.Settings) { self.settings = settings }

  func select(_ shape: DocumentShape, sample: RawSpan?, depth: Int) -> SelectionChoice {
    .selected(settings.selection.selection) { [self] in
      HarnessBatch(self, settings.selection, hasRows: settings.hasRows)
    }
  }

  // Scalars among records are skipped too.
  var skipsRecords: Bool { true }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) {
    guard error.kind == .schema || settings.skipsBadLines else { throw error }
    let fault = ParserHarness.Fault(error)
    refused.append(ParserHarness.Delivery(fault: fault, raw: Digest.value(of: raw)))
  }
}

/// Collects what one batch maps.
private final class HarnessBatch: LaneBatch {
  private let consumer: HarnessConsumer
  private var records: [ParserHarness.Delivery] = []
  private let selection: HarnessSelection
  private let hasRows: Bool
  // Indexed by the path numbers of one tape: rows are compared with a single lane only.
  private var pathDigests: [UInt64] = []

  init(_ consumer: HarnessConsumer, _ selection: HarnessSelection, hasRows: Bool) {
    self.consumer = consumer
    self.selection = selection
    self.hasRows = hasRows
  }

  var recordCount: Int { records.count }

  func removeRecords(from index: Int) { records.removeSubrange(index...) }

  func deliver() -> Bool {
    consumer.records += records
    records = []
    return true
  }

  func map(_ tape: borrowing RecordTape, from first: Int) -> RecordFault? {
    for record in first..<tape.recordCount {
      let entries = tape.entries(of: record)
      let itself = entries[entries.count - 1]
      if itself.kind != .absent {
        return RecordFault(record: record, tokenByte: itself.tokenByte, reason: "not an object")
      }
      let raw = Digest.value(of: tape.rawBytes(of: record))
      var delivery = ParserHarness.Delivery(raw: raw)
      if selection == .plain {
        var values = Digest()
        add(entries[0], .name, tape, &values)
        add(entries[1], .tags, tape, &values)
        add(entries[2], .authorID, tape, &values)
        delivery.values = values.value
      }
      if hasRows {
        var row = Digest()
        for slot in entries.indices { add(entries[slot], tape, &row) }
        delivery.row = row.value
      }
      records.append(delivery)
    }
    return nil
  }

  // The whole entry, except the location of its text.
  private func add(
    _ entry: TapeEntry, _ tape: borrowing RecordTape, _ row: inout Digest
  ) {
    row.add(entry.kind.rawValue)
    guard entry.kind != .absent else { return }
    // Only replay marks compact records and makes copies, in which values have other positions.
    let flags = entry.flags & ~UInt8(FEEDSCAN_COMPACT | FEEDSCAN_COPIED)
    row.add(word: UInt64(flags) << 32 | UInt64(entry.length))
    if selection == .everything { row.add(word: pathDigest(of: entry, tape)) }
    let isDocumentValue = selection == .everything && entry.kind != .list
    row.add(word: isDocumentValue ? UInt64(entry.offset) : UInt64(entry.tokenByte))
    if entry.kind == .list {
      let elements = tape.elements(of: entry)
      for index in elements.indices { add(elements[index], tape, &row) }
    } else {
      tape.bytes(of: entry).withUnsafeBytes { row.add(word: Digest.value(of: $0)) }
    }
  }

  // Path numbers depend on what YAJL has read of bad records, which differs between runs.
  private func pathDigest(of entry: TapeEntry, _ tape: borrowing RecordTape) -> UInt64 {
    let path = Int(entry.path)
    if path < pathDigests.count, pathDigests[path] != 0 { return pathDigests[path] }
    var digest = Digest()
    for key in tape.keys(to: entry) ?? [] {
      digest.add(key == nil ? 0 : 1)
      digest.add((key ?? "").utf8)
      digest.add(0xFF)
    }
    while pathDigests.count <= path { pathDigests.append(0) }
    pathDigests[path] = digest.value
    return digest.value
  }

  private func add(
    _ entry: TapeEntry, _ field: SelectedField, _ tape: borrowing RecordTape,
    _ values: inout Digest
  ) {
    if let kind = ScalarKind(entry.kind) {
      tape.bytes(of: entry).withUnsafeBytes { values.add(field, kind, $0) }
    }
    guard entry.kind == .list else { return }
    let elements = tape.elements(of: entry)
    for index in elements.indices { add(elements[index], field, tape, &values) }
  }
}

extension Digest {
  fileprivate static func value(of bytes: borrowing RawSpan) -> UInt64 {
    bytes.withUnsafeBytes { Digest.value(of: $0) }
  }
}

extension ScalarKind {
  fileprivate init?(_ kind: TapeEntry.Kind) {
    switch kind {
    case .null: self = .null
    case .true: self = .true
    case .false: self = .false
    case .number: self = .number
    case .string: self = .string
    case .absent, .object, .array, .list, .group, .repeated, .end: return nil
    }
  }
}
