import FeedRecord
import LMDB

/// Answers that were given before, as they go over the wire, found by the bytes of their keys.
///
/// An answer counts as long as its feed has the epoch in which it was made. When the room is used
/// up the oldest answers make way for the new ones.
///
/// What a look-up costs is the processor's wait for memory: one slot, and the key that lies before
/// its answer in one piece, so that they are fetched at once.
struct AnswerCache: ~Copyable {
  /// Where an answer lies; free if the answer has no bytes.
  private struct Slot {
    /// The part of the key's hash that did not choose the slot.
    let mark: UInt32
    /// Units that were written before it.
    let place: UInt32
    let keyCount: UInt16
    let answerCount: UInt16
    /// The number of its origin.
    let origin: UInt32

    /// The two numbers as which it is kept; those of a free one are 0.
    var numbers: (UInt64, UInt64) {
      (
        UInt64(mark) << 32 | UInt64(place),
        UInt64(keyCount) << 48 | UInt64(answerCount) << 32 | UInt64(origin)
      )
    }
  }

  /// The slots, of which those that were never used take no memory.
  private struct Table {
    static let bytesPerSlot = 16
    private let numbers: AtomicNumbers

    init(count: Int) { numbers = AtomicNumbers(count: 2 * UInt64(count)) }

    subscript(index: Int) -> Slot {
      get {
        let place = UInt32(truncatingIfNeeded: 2 * index)
        let (first, second) = (numbers[place], numbers[place + 1])
        return Slot(
          mark: UInt32(first >> 32), place: UInt32(truncatingIfNeeded: first),
          keyCount: UInt16(second >> 48), answerCount: UInt16(truncatingIfNeeded: second >> 32),
          origin: UInt32(truncatingIfNeeded: second))
      }
      nonmutating set {
        let place = UInt32(truncatingIfNeeded: 2 * index)
        let (first, second) = newValue.numbers
        numbers.set(place, first)
        numbers.set(place + 1, second)
      }
    }
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

  /// With more, all numbers of units would be used up within few rounds of the ring.
  private static let mostBytes = 4 << 30
  /// Longer answers are not worth the room: to copy them costs more than to make them again saves.
  static let longestAnswer = 4 << 10
  private static let longestKey = 1 << 10
  /// A key lies in one of so many slots, from the one that its hash chooses.
  private static let reach = 16
  private static let mostOrigins = 1 << 10
  /// Bytes are counted in units of so many, each key begins with one.
  private static let unit = 8
  /// A slot for so many bytes of the room: an answer takes more as a rule.
  private static let bytesPerSlot = 128
  /// Bytes are written to for the first time so many at once.
  private static let step = 64 << 10

  /// The bytes of all keys and answers, in units.
  private let capacity: Int
  private let slotCount: Int
  private var slots = Table(count: 0)
  private var isEmpty = true
  private var origins: [Origin] = []
  /// What was written last, in a ring.
  private var bytes: [UInt8] = []
  /// Units that were written, or left empty at the end of the ring.
  private var written = 0

  /// Nothing is allocated before the first answer.
  ///
  /// - Parameter byteCount: of all answers, their keys and the table that finds them
  init(byteCount: Int) {
    // The number of a unit has 32 bits, and so many more are left until they are used up.
    let byteCount = min(max(byteCount, 0), Self.mostBytes)
    let wanted = byteCount / Self.bytesPerSlot
    slotCount = wanted > 0 ? 1 << (Int.bitWidth - 1 - wanted.leadingZeroBitCount) : 0
    capacity = (byteCount - slotCount * Table.bytesPerSlot) / Self.unit
  }

  /// The bytes of memory that answers, their keys and the table occupy at most.
  var byteCount: Int { isEmpty ? 0 : bytes.count + slotCount * Table.bytesPerSlot }

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
    if isEmpty { return nil }
    for distance in 0..<Self.reach {
      let slot = slots[index(hash, distance)]
      guard slot.answerCount > 0 else { return nil }
      guard slot.mark == Self.mark(hash), isThere(slot) else { continue }
      let start = Int(slot.place) % capacity * Self.unit
      let middle = start + Int(slot.keyCount)
      return Found(
        key: start..<middle, range: middle..<middle + Int(slot.answerCount),
        origin: origins[Int(slot.origin)])
    }
    return nil
  }

  /// Reads some of the slots of which one may tell where the answer to a key lies, so that the lines of
  /// memory in which those of several keys lie are fetched at once.
  func touchSlots(hash: UInt64) -> UInt8 {
    if isEmpty { return 0 }
    var sum: UInt32 = 0
    for distance in stride(from: 0, to: Self.reach, by: 64 / Table.bytesPerSlot) {
      sum &+= slots[index(hash, distance)].mark
    }
    return UInt8(truncatingIfNeeded: sum)
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

  /// Keeps an answer, in the place of others if need be.
  mutating func insert(
    _ key: RawSpan, hash: UInt64, _ answer: RawSpan, feed: Int, epoch: UInt64
  ) {
    let units = (key.byteCount + answer.byteCount + Self.unit - 1) / Self.unit
    guard answer.byteCount <= Self.longestAnswer, key.byteCount <= Self.longestKey,
      units <= capacity, slotCount > 0
    else { return }
    if isEmpty || origins.count >= Self.mostOrigins { clear() }
    let place = room(for: units)
    slots[chosenSlot(for: hash)] = Slot(
      mark: Self.mark(hash), place: UInt32(place), keyCount: UInt16(key.byteCount),
      answerCount: UInt16(answer.byteCount), origin: origin(Origin(feed: feed, epoch: epoch)))
    let start = place % capacity * Self.unit
    extend(to: start + units * Self.unit)
    bytes.replace(from: start, copying: key)
    bytes.replace(from: start + key.byteCount, copying: answer)
  }

  /// Whether nothing was written over an answer since.
  private func isThere(_ slot: Slot) -> Bool { written - Int(slot.place) <= capacity }

  /// Where so many units are written that lie in one piece; what was there is not any more.
  private mutating func room(for units: Int) -> Int {
    let rest = capacity - written % capacity
    if rest < units { written += rest }
    if written + units > Int(UInt32.max) { clear() }
    defer { written += units }
    return written
  }

  private mutating func extend(to end: Int) {
    guard bytes.count < end else { return }
    let count = min(max(end, bytes.count + Self.step), capacity * Self.unit)
    bytes.append(contentsOf: repeatElement(0, count: count - bytes.count))
  }

  /// The slot of the same mark, or the first that is free, as it is looked at first; else any.
  private func chosenSlot(for hash: UInt64) -> Int {
    for distance in 0..<Self.reach {
      let index = index(hash, distance)
      let slot = slots[index]
      if slot.answerCount == 0 || slot.mark == Self.mark(hash) || !isThere(slot) { return index }
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
    slots = Table(count: slotCount)
    isEmpty = false
    // Of memory that was never written to none is occupied.
    if bytes.isEmpty { bytes.reserveCapacity(capacity * Self.unit) }
    origins.removeAll(keepingCapacity: true)
    written = 0
  }
}
