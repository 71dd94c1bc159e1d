@_spi(Ingest) import FeedRecord
import FeedStorage
import TestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A store in its own directory, with feeds whose records have two texts.
struct TestFeed {
  let directory: TemporaryDirectory
  let database: FeedDatabase

  static let layout: RecordLayout = {
    let fields = [RecordField(id: 1, type: .text), RecordField(id: 2, type: .text)]
    guard let layout = try? RecordLayout(schemaID: 7, fields: fields) else {
      preconditionFailure("two fields of different ids are a layout")
    }
    return layout
  }()

  struct Record: Hashable {
    var key: String
    var value: String
  }

  init(
    inMemory: Bool = false, change: (inout FeedDatabase.Options) -> Void = { _ in }
  ) throws {
    directory = try TemporaryDirectory(inMemory: inMemory)
    var options = FeedDatabase.Options()
    change(&options)
    database = try FeedDatabase.open(at: directory.path, options: options)
  }

  /// Opens the store in a directory.
  init(at directory: TemporaryDirectory) throws {
    self.directory = directory
    database = try FeedDatabase.open(at: directory.path)
  }

  static func begin(
    _ database: FeedDatabase, _ name: String = "feed", mode: GenerationMode = .replace,
    kind: String = "pairs", layout: RecordLayout = TestFeed.layout, wait: Bool = false,
    change: (inout GenerationRequest) -> Void = { _ in },
    isCancelled: @escaping () -> Bool = { false }
  ) throws -> GenerationWriter {
    var request = try GenerationRequest(FeedName(name), kind: kind, layout: layout, keyField: 1)
    request.mode = mode
    request.wait = FeedWait(waits: wait, timeout: nil)
    change(&request)
    return try database.beginGeneration(request, isCancelled: isCancelled)
  }

  @discardableResult
  func ingest(
    _ records: some Sequence<Record>, into name: String = "feed", mode: GenerationMode = .replace,
    referenceSeconds: Double = 1, envelope: String = "",
    change: (inout GenerationRequest) -> Void = { _ in }
  ) throws -> FeedDescription {
    let writer = try Self.begin(database, name, mode: mode, change: change)
    try writer.append(records)
    return try writer.publish(
      referenceSeconds: referenceSeconds, origin: "test", envelope: Array(envelope.utf8),
      envelopeInsertion: 0)
  }

  func all(_ name: String = "feed", from offset: Int = 0) throws -> [Record] {
    try Self.all(database, name, from: offset)
  }

  static func all(
    _ database: FeedDatabase, _ name: String = "feed", from offset: Int = 0
  ) throws -> [Record] {
    var records: [Record] = []
    try database.forEachRecord(in: FeedName(name), from: offset) {
      view, position throws(StoreError) in
      guard position == offset + records.count else {
        throw StoreError(.misuse, "position \(position) after \(records.count) records")
      }
      records.append(try Record(view))
      return true
    }
    return records
  }

  func values(_ key: String, in name: String = "feed") throws -> [String] {
    var values: [String] = []
    let bytes = Array(key.utf8)
    try database.forEachRecord(in: FeedName(name), withKeyBytes: bytes.span.bytes) {
      view, _ throws(StoreError) in
      values.append(try Record(view).value)
      return true
    }
    return values
  }
}

extension TestFeed.Record {
  init(_ view: RecordView) throws(StoreError) {
    do throws(RecordError) {
      self.init(key: try view.text(1) ?? "", value: try view.text(2) ?? "")
    } catch {
      throw StoreError(error)
    }
  }

  static func numbered(_ range: Range<Int>, value: String = "value") -> [Self] {
    range.map { Self(key: "key \($0)", value: "\(value) \($0)") }
  }
}

extension GenerationWriter {
  func append(_ records: some Sequence<TestFeed.Record>) throws {
    var encoder = RecordEncoder(layout: TestFeed.layout)
    for record in records {
      let (key, value) = (Array(record.key.utf8), Array(record.value.utf8))
      let hash = KeyHash.hash(key.span.bytes)
      encoder.begin(variableByteCount: key.count + value.count)
      encoder.setText(0, key.span.bytes)
      encoder.setText(1, value.span.bytes)
      encoder.end(keyHash: hash)
      try append(encoder.bytes(at: 0), isWide: encoder.isWide(at: 0), keyHash: hash)
      encoder.removeAll()
    }
  }

  func publish() throws {
    _ = try publish(referenceSeconds: 2, origin: "test", envelope: [], envelopeInsertion: 0)
  }
}

/// The code of the error that a body throws; nil if it throws none.
func code(_ body: () throws -> Void) throws -> StoreError.Code? {
  do {
    try body()
    return nil
  } catch let error as StoreError {
    return error.code
  }
}
