import FeedRecord
package import JSONStream

/// The distinct values of a path, and how often each occurs.
///
/// Numbers are equal as numbers, and strings by their characters. It keeps the first text of each
/// value.
package struct DistinctValues: Sendable {
  private struct Entry {
    var hash: UInt64
    var key: Range<Int>
    var text: Range<Int>
    var count: Int
  }

  private let path: JSONPath
  private let maximumBytes: Int
  private var entries: [Entry] = []
  /// Indexes of entries plus one, by their hashes. The size is a power of two.
  private var slots: [UInt32] = Array(repeating: 0, count: 256)
  private var arena: [UInt8] = []
  private var scratch: [UInt8] = []
  /// Whether the values exceed the maximum memory.
  package private(set) var isFull = false

  /// - Parameter maximumBytes: the maximum size of the values; a value beyond it makes the
  ///   collection full
  package init(_ path: JSONPath, maximumBytes: Int = 64 << 20) {
    self.path = path
    self.maximumBytes = maximumBytes
  }

  /// Counts the values of a record.
  package mutating func add(_ text: RawSpan) {
    path.forEachValue(in: text) { range in
      add(text.extracting(range), count: 1)
      return !isFull
    }
  }

  /// Adds the counts of later records.
  package mutating func merge(_ other: DistinctValues) {
    isFull = isFull || other.isFull
    let bytes = other.arena.span.bytes
    for entry in other.entries where !isFull {
      add(bytes.extracting(entry.text), count: entry.count)
    }
  }

  private mutating func add(_ value: RawSpan, count: Int) {
    Self.key(of: value, &scratch)
    let hash = KeyHash.hash(scratch.span.bytes)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if entries[index].hash == hash, arena[entries[index].key].elementsEqual(scratch) {
        entries[index].count += count
        return
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    guard arena.count + entries.count * 64 + value.byteCount < maximumBytes else {
      isFull = true
      return
    }
    let key = arena.count..<arena.count + scratch.count
    arena += scratch
    let text = arena.count..<arena.count + value.byteCount
    value.withUnsafeBytes { arena.append(contentsOf: $0) }
    entries.append(Entry(hash: hash, key: key, text: text, count: count))
    slots[slot] = UInt32(truncatingIfNeeded: entries.count)
    if entries.count * 2 > slots.count { grow() }
  }

  private mutating func grow() {
    var larger = [UInt32](repeating: 0, count: slots.count * 2)
    for (index, entry) in entries.enumerated() {
      var slot = Int(truncatingIfNeeded: entry.hash) & (larger.count - 1)
      while larger[slot] != 0 { slot = (slot + 1) & (larger.count - 1) }
      larger[slot] = UInt32(truncatingIfNeeded: index + 1)
    }
    slots = larger
  }

  /// The bytes that equal values share.
  private static func key(of value: RawSpan, _ key: inout [UInt8]) {
    key.removeAll(keepingCapacity: true)
    var cursor = JSONCursor(value)
    switch cursor.nextKind() {
    case .string:
      key.append(0x22)
      cursor.nextString()?.appendDecoded(in: value, to: &key)
    case .number: KeyText.append(value, to: &key)
    default: value.withUnsafeBytes { key.append(contentsOf: $0) }
    }
  }

  /// The number of distinct values.
  package var count: Int { entries.count }

  /// A value and how often it occurs.
  package struct Value: Sendable, Hashable {
    /// The JSON text.
    package let text: [UInt8]
    package let count: Int

    /// Appends an object of both.
    package func appendJSON(to output: inout [UInt8]) {
      output += "{\"value\":".utf8
      output += text
      output += ",\"count\":\(count)}".utf8
    }
  }

  /// The values, the most frequent first. Equally frequent values keep the order of their first
  /// occurrence.
  package func ranked() -> [Value] {
    entries.indices.sorted { first, second in
      let (left, right) = (entries[first].count, entries[second].count)
      return left == right ? first < second : left > right
    }
    .map { Value(text: Array(arena[entries[$0].text]), count: entries[$0].count) }
  }
}
