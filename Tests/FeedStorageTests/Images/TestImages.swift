import FeedStorage
import LMDB
import Synchronization
import TestSupport

/// An image store in its own directory, with a clock that the test sets.
final class TestImages: Sendable {
  let directory: TemporaryDirectory
  let store: ImageStore
  private let clock: Clock

  private final class Clock: Sendable {
    let seconds = Mutex(1_000.0)
  }

  init(
    byteCap: Int? = nil, change: (inout ImageStore.Options) -> Void = { _ in }
  ) throws {
    directory = try TemporaryDirectory(inMemory: true)
    let clock = Clock()
    self.clock = clock
    var options = ImageStore.Options(byteCap: byteCap)
    options.now = { clock.seconds.withLock { $0 } }
    change(&options)
    store = try ImageStore.open(at: directory.path, options: options)
  }

  var now: Double {
    get { clock.seconds.withLock { $0 } }
    set { clock.seconds.withLock { $0 = newValue } }
  }

  func insert(_ url: String, _ bytes: [UInt8], expires: Double? = nil) throws {
    try store.insert(
      bytes.span.bytes, for: url, ImageMetadata(expiryReferenceSeconds: expires))
  }

  func bytes(_ url: String) throws -> [UInt8]? { try store.retrieve(url)?.bytes }

  /// The URLs of all images, the expired ones too.
  func urls() throws -> Set<String> {
    var urls: Set<String> = []
    try store.forEachImage { image in
      urls.insert(image.url)
      return true
    }
    return urls
  }

  /// Random bytes that depend on the seed.
  static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    let words = (0..<(count + 7) / 8).map { _ in generator.next() }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
  }

  /// Changes a table without the store's code.
  func change(
    _ name: String, _ body: (Table, inout WriteTransaction) throws(LMDBError) -> Void
  ) throws {
    let environment = try Environment.open(directory.path + "/images", .init(tables: []))
    let table = try environment.table(name)
    try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      try body(table, &transaction)
    }
  }

  /// Flips a bit of a value; a negative one counts from the end.
  func flip(_ table: String, _ entry: Int, bit: Int) throws {
    let (key, old) = try entries(table)[entry]
    var value = old
    let bit = bit < 0 ? value.count * 8 + bit : bit % (value.count * 8)
    value[bit / 8] ^= 1 << UInt8(bit % 8)
    try put(table, key, value)
  }

  func put(_ table: String, _ key: [UInt8], _ value: [UInt8]) throws {
    try change(table) { table, transaction throws(LMDBError) in
      try transaction.put(table, key.span.bytes, value.span.bytes)
    }
  }

  /// The entries of a table, in the order of their keys.
  func entries(_ name: String) throws -> [(key: [UInt8], value: [UInt8])] {
    let environment = try Environment.open(directory.path + "/images", .init(tables: []))
    let table = try environment.table(name)
    return try environment.read { transaction throws(LMDBError) in
      var entries: [(key: [UInt8], value: [UInt8])] = []
      var cursor = try transaction.cursor(table)
      while try cursor.next() {
        entries.append((Array(copying: cursor.key), Array(copying: cursor.value)))
      }
      return entries
    }
  }
}
