import FeedRecord
import FeedSchema
import FeedStorage
import LMDB
import TestSupport
import Testing

@Suite("The schema of a feed in the store")
struct StoredSchemaTests {
  private let store: TestFeed
  private let name: FeedName

  init() throws {
    store = try TestFeed()
    name = try FeedName("readings")
  }

  private func reopened(_ catalog: PayloadCatalog = .standard) throws -> FeedDatabase {
    try Self.opened(store.directory.path, catalog)
  }

  private static func opened(
    _ path: String, _ catalog: PayloadCatalog = .standard
  ) throws -> FeedDatabase {
    var options = FeedDatabase.Options()
    options.catalog = catalog
    return try FeedDatabase.open(at: path, options: options)
  }

  private func lines(_ database: FeedDatabase) throws -> [String] {
    let feed = try database.existingFeed(named: name)
    var lines: [String] = []
    try feed.scan { record, _ throws(StoreError) in
      var line: [UInt8] = []
      try feed.appendJSON(of: record, to: &line)
      lines.append(String(decoding: line, as: UTF8.self))
      return true
    }
    return lines
  }

  /// The schemas' keys in the table of generations.
  private func schemaKeys(_ copy: StoreCopy) throws -> [[UInt8]] {
    try copy.change("generations") { keys, _, _ throws(LMDBError) in
      keys.filter { $0.count == 9 && $0.last == UInt8(ascii: "S") }
    }
  }

  @Test("is the schema of its ingest, and is read without a catalog")
  func stored() throws {
    let published = try Readings.publish(in: store.database)
    #expect(published.schema == Readings.schema)
    for catalog in [PayloadCatalog([]), .standard] {
      let database = try reopened(catalog)
      let feed = try database.existingFeed(named: name)
      #expect(feed.schema == Readings.schema)
      #expect(String(decoding: feed.description.schemaText, as: UTF8.self) == Readings.text)
      #expect(feed.description == published)
      #expect(try lines(database) == Readings.lines)
    }
  }

  @Test("names the indexes of the feed, and is part of its stored bytes")
  func indexed() throws {
    var options = IngestOptions()
    options.schema = Readings.schema
    options.indexedFields = ["count"]
    let push = store.database.push(from: "readings", options: options)
    try push.feed(Readings.document.utf8)
    let feed = try push.finish().feed
    #expect(feed.schema?.fields.filter(\.isIndexed).map(\.name) == ["count", "tags"])
    #expect(feed.storedBytes > feed.schemaText.count + feed.envelope.count)
  }

  @Test("stays with the feed through a renewal, an append and a compaction")
  func kept() throws {
    try Readings.publish(in: store.database)
    _ = try store.database.renew(name, referenceSeconds: 5)
    let more =
      #"{"readings":[{"sensor":{"id":"s-3"},"at":"2026-11-25T08:00:00Z","count":0,"tags":["x"]}]}"#
    try Readings.publish(in: store.database, more, appends: true)
    _ = try store.database.compact()
    let feed = try reopened().existingFeed(named: name)
    #expect(feed.schema == Readings.schema && feed.description.recordCount == 3)
    #expect(try FeedDatabase.check(at: store.directory.path).findings == [])
  }

  @Test("is part of a backup and is restored with it")
  func restored() throws {
    try Readings.publish(in: store.database)
    let other = try TemporaryDirectory()
    _ = try store.database.backUp(to: other.path + "/backup")
    _ = try store.database.delete(name)
    _ = try FeedDatabase.restore(store.directory.path, from: other.path + "/backup")
    #expect(try store.database.existingFeed(named: name).schema == Readings.schema)
    #expect(try lines(store.database) == Readings.lines)
  }

  @Test("is removed with its generation, after a replacement and a deletion")
  func removed() throws {
    let first = try Readings.publish(in: store.database)
    let second = try Readings.publish(in: store.database)
    #expect(second.generation > first.generation)
    try store.database.sweep()
    #expect(try schemaKeys(StoreCopy(of: store)).count == 1)
    #expect(try store.database.delete(name))
    #expect(try schemaKeys(StoreCopy(of: store)).isEmpty)
    #expect(try FeedDatabase.check(at: store.directory.path).findings == [])
  }

  @Test("is reported by a check, and not read, if it is missing or has a flipped bit")
  func damaged() throws {
    try Readings.publish(in: store.database)
    let flipped = try StoreCopy(of: store)
    try flipped.replace(Array(#""identifier":1001"#.utf8), by: Array(#""identifier":1011"#.utf8))
    let gone = try StoreCopy(of: store)
    let keys = try schemaKeys(gone)
    try gone.change("generations") { _, table, transaction throws(LMDBError) in
      for key in keys { _ = try transaction.delete(table, key.span.bytes) }
    }
    for copy in [flipped, gone] {
      let path = copy.directory.path
      #expect(try FeedDatabase.check(at: path).findings.count == 1)
      #expect(try code { _ = try Self.opened(path).feed(named: name) } == .damaged)
    }
  }

  @Test("is reported by a check if its layout is not that of the records, even with a valid hash")
  func contradicting() throws {
    try Readings.publish(in: store.database)
    let copy = try StoreCopy(of: store)
    let text = Array(
      Readings.text.replacing(#""count":{"type":"integer""#, with: #""count":{"type":"boolean""#)
        .utf8)
    try copy.changeRows { row in
      let old = Array(Readings.text.utf8)
      row.replace(KeyHash.hash(old.span.bytes), by: KeyHash.hash(text.span.bytes))
      row.replace(UInt32(old.count), by: UInt32(text.count))
    }
    let keys = try schemaKeys(copy)
    try copy.change("generations") { _, table, transaction throws(LMDBError) in
      for key in keys { try transaction.put(table, key.span.bytes, text.span.bytes) }
    }
    let findings = try FeedDatabase.check(at: copy.directory.path).findings
    #expect(findings.count == 1)
    #expect(findings.first?.contains("not that of its records") == true)
  }

  @Test("is that of the catalog for rows before version 4, without the fields they lack")
  func olderRows() throws {
    let copy = try GoldenStore.olderRows.copy()
    let old = PayloadSchema.universities
    let extended = try PayloadSchema(
      name: old.name, identifier: old.identifier, key: old.keyField.id,
      fields: [.init(id: 90, "motto", kind: .text, isRequired: false)] + old.fields)
    let database = try Self.opened(copy.path, PayloadCatalog([extended]))
    let feed = try database.existingFeed(named: FeedName("universities"))
    #expect(feed.schema.fields.map(\.name) == old.fields.map(\.name))
    #expect(try GoldenStore.lines(of: feed.description, in: database).contains(#"{"name":""#))
    // Without a contract in the catalog, the fields are named after their ids.
    let news = try database.existingFeed(named: FeedName("news"))
    #expect(news.schema.keyField.name == "field6")
    #expect(!news.description.hasFieldNames)
  }
}

@Suite("A generation row of version 4")
struct GenerationRowTests {
  private let store: TestFeed
  private let name: FeedName

  init() throws {
    store = try TestFeed()
    name = try FeedName("readings")
    try Readings.publish(in: store.database)
  }

  /// A copy of the store whose row has an addition of a later version.
  private func extended(tag: UInt16) throws -> StoreCopy {
    let copy = try StoreCopy(of: store)
    try copy.changeRows { row in
      // The row ends with the number of its additions.
      row.bytes.removeLast(2)
      row.append(UInt16(1))
      row.append(tag)
      row.append(UInt32(3))
      row.bytes += [7, 8, 9]
    }
    return copy
  }

  @Test("keeps the additions of a later version when it is rewritten")
  func unknownOptional() throws {
    let copy = try extended(tag: 0x1234)
    let database = try FeedDatabase.open(at: copy.directory.path)
    #expect(try database.existingFeed(named: name).schema == Readings.schema)
    _ = try database.renew(name, referenceSeconds: 9)
    var ends: [[UInt8]] = []
    try copy.changeRows { row in ends.append(row.bytes.suffix(11)) }
    #expect(ends == [[1, 0, 0x34, 0x12, 3, 0, 0, 0, 7, 8, 9]])
    #expect(try database.existingFeed(named: name).description.referenceSeconds == 9)
  }

  @Test("is refused as incompatible if it has an unknown required addition")
  func unknownRequired() throws {
    let copy = try extended(tag: 0x9234)
    let database = try FeedDatabase.open(at: copy.directory.path)
    #expect(try code { _ = try database.feed(named: name) } == .incompatible)
  }

  @Test("is refused as incompatible from version 5 on")
  func newer() throws {
    let copy = try StoreCopy(of: store)
    try copy.changeRows { row in row.bytes[0] = 5 }
    let database = try FeedDatabase.open(at: copy.directory.path)
    #expect(try code { _ = try database.feed(named: name) } == .incompatible)
  }

  @Test("lists the blocks of each index, so that a check detects a missing block")
  func indexBlocks() throws {
    let copy = try StoreCopy(of: store)
    try copy.changeRows { row in
      // The block counts of the key's index and the tags' index precede the number of additions.
      #expect(row.bytes.suffix(10) == [1, 0, 0, 0, 1, 0, 0, 0, 0, 0])
      row.bytes[row.bytes.count - 6] = 2
    }
    let findings = try FeedDatabase.check(at: copy.directory.path).findings
    #expect(findings.count == 1)
    #expect(findings.first?.contains("an index has 1 blocks, but the row lists 2") == true)
  }
}

/// The bytes of a row without its checksum.
struct RowContent {
  var bytes: [UInt8]

  mutating func append(_ value: some FixedWidthInteger) { bytes += Self.bytes(of: value) }

  /// Replaces the first occurrence of a number.
  mutating func replace<Value: FixedWidthInteger>(_ old: Value, by new: Value) {
    guard let range = bytes.firstRange(of: Self.bytes(of: old)) else { return }
    bytes.replaceSubrange(range, with: Self.bytes(of: new))
  }

  private static func bytes(of value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}

extension StoreCopy {
  /// Changes all rows of generations, with a new checksum for each.
  func changeRows(_ body: (inout RowContent) -> Void) throws {
    try change("generations") { keys, table, transaction throws(LMDBError) in
      for key in keys where key.count == 8 {
        let row = try transaction.reading { view throws(LMDBError) -> [UInt8] in
          guard let bytes = try view.get(table, key.span.bytes) else { return [] }
          return Array(copying: bytes)
        }
        var content = RowContent(bytes: row.dropLast(8))
        body(&content)
        content.append(KeyHash.hash(content.bytes.span.bytes))
        try transaction.put(table, key.span.bytes, content.bytes.span.bytes)
      }
    }
  }
}
