import FeedRecord
import LMDB

/// Answers that were given before, as they go over the wire, found by the bytes of their keys.
///
/// An answer counts as long as its feed has the epoch in which it was made. When the room is used
/// up all answers go, those that are asked for again come back with the next look-ups.
///
/// What a look-up costs is the processor's wait for memory. The table is small enough to stay in
/// its caches, and each key lies before its answer in one piece, so that they are fetched at once.
struct AnswerCache {
  /// Where an answer lies; free if the answer has no bytes.
  private struct Slot: BitwiseCopyable {
    /// The part of the key's hash that did not choose the slot.
    var mark: UInt32 = 0
    var place: UInt32 = 0
    var keyCount: UInt16 = 0
    var answerCount: UInt16 = 0
    /// The number of its origin.
    var origin: UInt32 = 0
  }

  /// The feed and the epoch of which answers are.
  struct Origin: Hashable, BitwiseCopyable {
    let feed: Int
    let epoch: UInt64
  }

  /// Where an answer lies, and of what it is.
  struct Found {
    let key: Range<Int>
    let range: Range<Int>
    let origin: Origin
  }

  /// Longer answers are not worth the room: to copy them costs more than to make them again saves.
  static let longestAnswer = 4 << 10
  private static let longestKey = 1 << 10
  /// A key lies in one of so many slots, from the one that its hash chooses.
  private static let reach = 16
  private static let mostOrigins = 1 << 10

  private let capacity: Int
  private let slotCount: Int
  private var slots: [Slot] = []
  private var origins: [Origin] = []
  private var bytes: [UInt8] = []

  /// - Parameters:
  ///   - capacity: the bytes of all keys and answers
  ///   - slots: a power of two; as many answers can be kept. More would cost each look-up more
  ///     misses of the processor's caches than they spare look-ups in the store.
  init(capacity: Int = 8 << 20, slots: Int = 1 << 15) {
    self.capacity = capacity
    slotCount = slots
  }

  /// The bytes that keys and answers occupy.
  var byteCount: Int { bytes.count }

  static func hash(_ key: RawSpan) -> UInt64 { KeyHash.hash(key) }

  /// The bytes in which answers lie.
  var storage: RawSpan {
    @_lifetime(borrow self) borrowing get { bytes.span.bytes }
  }

  /// The answer to a key.
  func find(_ key: RawSpan, hash: UInt64) -> Found? {
    guard let found = candidate(hash: hash), holds(key, at: found) else { return nil }
    return found
  }

  /// An answer that is likely the one to the key of a hash; whether it is, `holds` tells.
  ///
  /// That there may be another one that is has no room here: it is one in billions.
  func candidate(hash: UInt64) -> Found? {
    guard !slots.isEmpty else { return nil }
    let slots = slots.span
    for distance in 0..<Self.reach {
      let slot = slots[index(hash, distance)]
      guard slot.answerCount > 0 else { return nil }
      guard slot.mark == Self.mark(hash) else { continue }
      let start = Int(slot.place)
      let middle = start + Int(slot.keyCount)
      return Found(
        key: start..<middle, range: middle..<middle + Int(slot.answerCount),
        origin: origins[Int(slot.origin)])
    }
    return nil
  }

  func holds(_ key: RawSpan, at found: Found) -> Bool {
    bytes.span.bytes.extracting(found.key).isEqual(to: key)
  }

  /// Reads a byte of each line of memory in which a key and its answer lie, so that the processor
  /// fetches them while it does something else.
  func touch(_ found: Found) -> UInt8 {
    let bytes = bytes.span
    var sum: UInt8 = 0
    var place = found.key.lowerBound
    while place < found.range.upperBound {
      sum &+= bytes[place]
      place += 64
    }
    return sum
  }

  /// Keeps an answer, in the place of another one if need be.
  mutating func insert(
    _ key: RawSpan, hash: UInt64, _ answer: RawSpan, feed: Int, epoch: UInt64
  ) {
    let size = key.byteCount + answer.byteCount
    guard answer.byteCount <= Self.longestAnswer, key.byteCount <= Self.longestKey,
      size <= capacity
    else { return }
    if slots.isEmpty || bytes.count + size > capacity || origins.count >= Self.mostOrigins {
      clear()
    }
    slots[chosenSlot(for: hash)] = Slot(
      mark: Self.mark(hash), place: UInt32(bytes.count), keyCount: UInt16(key.byteCount),
      answerCount: UInt16(answer.byteCount), origin: origin(Origin(feed: feed, epoch: epoch)))
    bytes.append(copying: key)
    bytes.append(copying: answer)
  }

  /// The slot of the same mark, else the first that is free, as it is looked at first, else any.
  private func chosenSlot(for hash: UInt64) -> Int {
    for distance in 0..<Self.reach {
      let index = index(hash, distance)
      if slots[index].answerCount == 0 || slots[index].mark == Self.mark(hash) { return index }
    }
    return index(hash, Int(truncatingIfNeeded: hash >> 60))
  }

  private mutating func origin(_ origin: Origin) -> UInt32 {
    // The newest are the ones that answers are made of.
    if let number = origins.lastIndex(of: origin) { return UInt32(number) }
    origins.append(origin)
    return UInt32(origins.count - 1)
  }

  private func index(_ hash: UInt64, _ distance: Int) -> Int {
    (Int(truncatingIfNeeded: hash) &+ distance) & (slotCount - 1)
  }

  private static func mark(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }

  private mutating func clear() {
    if slots.isEmpty {
      slots = Array(repeating: Slot(), count: slotCount)
    } else {
      for index in slots.indices { slots[index].answerCount = 0 }
    }
    origins.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }
}
