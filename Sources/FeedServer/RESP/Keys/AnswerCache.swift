import FeedRecord
import LMDB

/// Answers that were given before, as they go over the wire, found by the bytes of their keys.
///
/// An answer counts as long as its feed has the epoch in which it was made. When the room is used
/// up all answers go, those that are asked for again come back with the next look-ups.
struct AnswerCache {
  /// What is known of an answer. Its key and it lie one behind the other.
  private struct Entry {
    var hash: UInt64 = 0
    var place: UInt32 = 0
    var keyCount: UInt32 = 0
    var answerCount: UInt32 = 0
    var feed: UInt32 = 0
    var epoch: UInt64 = 0
  }

  /// Where an answer lies, and of which feed it is.
  struct Found {
    let range: Range<Int>
    let feed: Int
    let epoch: UInt64
  }

  /// Longer answers are not worth the room: to copy them costs more than to make them again saves.
  static let longestAnswer = 4 << 10
  private static let ways = 4

  private let sets: Int
  private let capacity: Int
  private var entries: [Entry] = []
  private var bytes: [UInt8] = []

  /// - Parameters:
  ///   - capacity: the bytes of all keys and answers
  ///   - sets: a power of two; as many answers times four can be kept. More would cost each
  ///     look-up more misses of the processor's caches than they spare look-ups in the store.
  init(capacity: Int = 8 << 20, sets: Int = 1 << 13) {
    self.capacity = capacity
    self.sets = sets
  }

  /// The bytes that keys and answers occupy.
  var byteCount: Int { bytes.count }

  static func hash(_ key: RawSpan) -> UInt64 { KeyHash.hash(key) }

  /// The bytes in which answers lie.
  var storage: RawSpan {
    @_lifetime(borrow self) borrowing get { bytes.span.bytes }
  }

  func find(_ key: RawSpan, hash: UInt64) -> Found? {
    guard !entries.isEmpty else { return nil }
    let first = Int(truncatingIfNeeded: hash & UInt64(sets - 1)) * Self.ways
    for index in first..<first + Self.ways {
      guard entries[index].hash == hash, entries[index].answerCount > 0 else { continue }
      let entry = entries[index]
      let start = Int(entry.place)
      let middle = start + Int(entry.keyCount)
      guard bytes.span.bytes.extracting(start..<middle).isEqual(to: key) else { continue }
      return Found(
        range: middle..<middle + Int(entry.answerCount), feed: Int(entry.feed), epoch: entry.epoch)
    }
    return nil
  }

  /// Keeps an answer, in the place of another one if need be.
  mutating func insert(
    _ key: RawSpan, hash: UInt64, _ answer: RawSpan, feed: Int, epoch: UInt64
  ) {
    let size = key.byteCount + answer.byteCount
    guard answer.byteCount <= Self.longestAnswer, size <= capacity else { return }
    if entries.isEmpty || bytes.count + size > capacity { clear() }
    let first = Int(truncatingIfNeeded: hash & UInt64(sets - 1)) * Self.ways
    // The one of the same key, else the first that is free, as it is looked at first, else any.
    var chosen = first + Int(truncatingIfNeeded: hash >> 62)
    for index in (first..<first + Self.ways).reversed() where entries[index].answerCount == 0 {
      chosen = index
    }
    for index in first..<first + Self.ways where entries[index].hash == hash { chosen = index }
    entries[chosen] = Entry(
      hash: hash, place: UInt32(bytes.count), keyCount: UInt32(key.byteCount),
      answerCount: UInt32(answer.byteCount), feed: UInt32(feed), epoch: epoch)
    bytes.append(contentsOf: [UInt8](copying: key))
    bytes.append(contentsOf: [UInt8](copying: answer))
  }

  private mutating func clear() {
    if entries.isEmpty {
      entries = Array(repeating: Entry(), count: sets * Self.ways)
    } else {
      for index in entries.indices { entries[index].answerCount = 0 }
    }
    bytes.removeAll(keepingCapacity: true)
  }
}
