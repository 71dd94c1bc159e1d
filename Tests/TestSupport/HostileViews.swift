@_spi(Ingest) import FeedRecord

/// Blocks, index blocks and records of any bytes, with every accessor called.
///
/// The first byte of an input chooses the type as which the rest is read.
package enum HostileViews {
  private enum Kind: UInt8, CaseIterable {
    case block, index, narrowRecord, wideRecord
  }

  // Every type, required and optional. Not `try!`: libFuzzer would attribute a mistake here to the
  // views.
  private static let layout = try? RecordLayout(
    schemaID: 7,
    fields: [
      RecordField(id: 1, type: .text), RecordField(id: 2, type: .integer),
      RecordField(id: 3, type: .textList, isOptional: true), RecordField(id: 4, type: .boolean),
      RecordField(id: 5, type: .uuid, isOptional: true), RecordField(id: 6, type: .date),
      RecordField(id: 7, type: .number), RecordField(id: 8, type: .text, isOptional: true),
      RecordField(id: 9, type: .textList), RecordField(id: 700, type: .boolean, isOptional: true),
    ])

  /// Whether the bytes were accepted as a value of the type, and the value was read.
  @discardableResult
  package static func take(_ input: RawSpan) -> Bool {
    guard !input.isEmpty, let layout else { return false }
    let choice = input.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
    let bytes = input.extracting(1..<input.byteCount)
    return switch Kind(rawValue: choice % UInt8(Kind.allCases.count)) {
    case .block, nil: readBlock(bytes, layout)
    case .index: readIndex(bytes)
    case .narrowRecord: readRecord(bytes, layout, isWide: false)
    case .wideRecord: readRecord(bytes, layout, isWide: true)
    }
  }

  private static func readBlock(_ bytes: RawSpan, _ layout: RecordLayout) -> Bool {
    guard let block = try? BlockView(bytes) else { return false }
    HostileReading.use(UInt64(block.number) ^ block.firstOrdinal ^ UInt64(block.schemaID))
    HostileReading.use(block.matches(layout) ? 1 : 0)
    try? block.verify(seed: 1)
    let own = try? block.layout()
    let ids = Set((layout.fields + (own?.fields ?? [])).map(\.id)).sorted()
    for index in 0..<min(block.recordCount, 64) {
      guard let record = try? block.record(at: index) else { continue }
      HostileReading.touch(record.bytes)
      for id in ids {
        if let place = block.location(of: id) { HostileReading.readAll(record, place) }
        // Locations of another layout must not do harm either.
        if let place = layout.location(of: id) { HostileReading.readAll(record, place) }
      }
      for field in own?.fields ?? [] { try? RecordReading.read(record, field) }
    }
    if let record = try? block.record(at: block.recordCount) { HostileReading.touch(record.bytes) }
    return true
  }

  private static func readRecord(_ bytes: RawSpan, _ layout: RecordLayout, isWide: Bool) -> Bool {
    guard let record = try? RecordView(bytes, layout: layout, isWide: isWide) else { return false }
    for field in layout.fields {
      if let place = record.location(of: field.id) { HostileReading.readAll(record, place) }
      try? RecordReading.read(record, field)
    }
    return true
  }

  private static func readIndex(_ bytes: RawSpan) -> Bool {
    guard let view = try? IndexBlockView(bytes) else { return false }
    HostileReading.use(view.number ^ (view.lower ?? 1) ^ (view.upper ?? 2))
    HostileReading.use(view.storedHash)
    HostileReading.use(view.pairs().count)
    HostileReading.use(view.coversMiss(of: 5) ? 1 : 0)
    try? view.verify(seed: 4)
    for index in -1...min(view.count, 256) {
      _ = try? view.canBe(keyHash: 5, at: index)
      if let ordinal = try? view.ordinal(at: index) { HostileReading.use(ordinal) }
      guard let hash = try? view.hash(at: index) else { continue }
      precondition(view.firstIndex(ofHashAtLeast: hash) <= view.count, "a search left its block")
    }
    return true
  }

  /// Valid inputs.
  package static func corpus() -> [[UInt8]] {
    guard let layout else { return [] }
    var encoder = RecordEncoder(layout: layout)
    fill(&encoder, "Zürich")
    fill(&encoder, String(repeating: "Zürich", count: 20))
    let empty = encoder.count
    encoder.begin(variableByteCount: 0)
    encoder.end(keyHash: 1)
    var builder = BlockBuilder(layout: layout)
    _ = builder.append(encoder, from: 0)
    let block = builder.seal(number: 3, firstOrdinal: 9, seed: 1).bytes
    var wide = block
    wide[BlockFormat.Header.flags] = 1
    var index = IndexBlockBuilder()
    for hash in 1...5 as ClosedRange<UInt32> {
      index.append(KeyPair(hash: hash, ordinal: hash))
    }
    let sealed = index.seal(number: 1, lower: 1, upper: .max, seed: 4).bytes
    let records = (0...empty).map { encoder.bytes(at: $0).withUnsafeBytes { [UInt8]($0) } }
    return [[Kind.block.rawValue] + block, [Kind.block.rawValue] + wide]
      + [[Kind.index.rawValue] + sealed]
      + records.flatMap { [[Kind.narrowRecord.rawValue] + $0, [Kind.wideRecord.rawValue] + $0] }
  }

  private static func fill(_ encoder: inout RecordEncoder, _ text: String) {
    let text = Array(text.utf8)
    let list = RecordEncoder.listOverhead(count: 2) + text.count
    encoder.begin(variableByteCount: 2 * text.count + 2 * list)
    encoder.setText(0, text.span.bytes)
    encoder.setInteger(1, -5)
    fillList(&encoder, 2, text)
    encoder.setBoolean(3, true)
    encoder.setUUID(4, high: 1, low: 2)
    encoder.setDate(5, referenceSeconds: 0.5)
    encoder.setNumber(6, -0.5)
    encoder.setText(7, text.span.bytes)
    fillList(&encoder, 8, text)
    encoder.setNull(9)
    encoder.end(keyHash: 7)
  }

  private static func fillList(_ encoder: inout RecordEncoder, _ field: Int, _ text: [UInt8]) {
    encoder.beginList(field, count: 2)
    encoder.appendElement(text.span.bytes)
    encoder.appendElement([UInt8]().span.bytes)
  }
}
