import FeedRecord
import LMDB

/// A response cache: earlier responses in wire form, found by the bytes of their keys.
///
/// A response is valid while its feed has the epoch in which it was made. When the memory is used
/// up, new responses overwrite the oldest.
///
/// The cost of a lookup is the processor's wait for memory. It reads one slot, and the key, which
/// is stored directly before its response so that both are fetched at once.
struct RESPResponseCache: ~Copyable {
  /// The location of a response; free if the response has no bytes.
  private struct Slot {
    /// The part of the key's hash that does not select the slot.
    let mark: UInt32
    /// The number of units that were written before it.
    let place: UInt32
    let keyCount: UInt16
    let answerCount: UInt16
    /// The index of its origin.
    let origin: UInt32

    /// The two integers in which it is stored; both are 0 for a free slot.
    var numbers: (UInt64, UInt64) {
      (
        UInt64(mark) << 32 | UInt64(place),
        UInt64(keyCount) << 48 | UInt64(answerCount) << 32 | UInt64(origin)
      )
    }
  }

  /// The slots. Those that were never used occupy no memory.
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

  /// The feed and the epoch of responses.
  struct Origin: Hashable, BitwiseCopyable {
    let feed: Int
    let epoch: UInt64
  }

  /// The location of a response, and its origin.
  struct Found {
    let key: Range<Int>
    let range: Range<Int>
    let origin: Origin
  }

  /// With more, the 32-bit unit numbers would be used up within few rounds of the ring.
  private static let maximumBytes = 4 << 30
  /// The maximum length of a cached response. Copying a longer one costs more than it saves.
  static let maximumResponseBytes = 4 << 10
  private static let maximumKeyBytes = 1 << 10
  /// The number of slots that may hold a key, starting at the one that its hash selects.
  private static let reach = 16
  private static let maximumOrigins = 1 << 10
  /// The unit of bytes. Each key starts at a unit.
  private static let unit = 8
  /// The bytes of memory per slot; most responses take more.
  private static let bytesPerSlot = 128
  /// The step in which the byte array grows.
  private static let step = 64 << 10

  /// The capacity for keys and responses, in units.
  private let capacity: Int
  private let slotCount: Int
  private var slots = Table(count: 0)
  private var isEmpty = true
  private var origins: [Origin] = []
  /// The ring of keys and responses.
  private var bytes: [UInt8] = []
  /// The number of units written, including those skipped at the end of the ring.
  private var written = 0

  /// Nothing is allocated before the first response.
  ///
  /// - Parameter byteCount: the maximum memory of all responses, their keys and the table
  init(byteCount: Int) {
    // The number of a unit has 32 bits; this bound leaves several rounds before they are used up.
    let byteCount = min(max(byteCount, 0), Self.maximumBytes)
    let wanted = byteCount / Self.bytesPerSlot
    slotCount = wanted > 0 ? 1 << (Int.bitWidth - 1 - wanted.leadingZeroBitCount) : 0
    capacity = (byteCount - slotCount * Table.bytesPerSlot) / Self.unit
  }

  /// The maximum bytes of memory that responses, their keys and the table occupy.
  var byteCount: Int { isEmpty ? 0 : bytes.count + slotCount * Table.bytesPerSlot }

  static func hash(_ key: RawSpan) -> UInt64 { KeyHash.hash(key) }

  /// The bytes that contain the responses.
  var storage: RawSpan {
    @_lifetime(borrow self) borrowing get { bytes.span.bytes }
  }

  /// The response to a key.
  func find(_ key: RawSpan, hash: UInt64) -> Found? {
    guard let found = candidate(hash: hash), holds(key, at: found) else { return nil }
    return found
  }

  /// A response that probably belongs to the key with this hash; `holds` verifies it.
  ///
  /// A second candidate is not considered: its probability is one in billions.
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

  /// Reads some of the slots that may locate a key's response. The cache lines of several keys are
  /// then fetched at once.
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

  /// Reads a byte of each cache line of a key and its response, so that the processor fetches them
  /// in the background.
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

  /// Adds a response, overwriting others if necessary.
  mutating func insert(
    _ key: RawSpan, hash: UInt64, _ answer: RawSpan, feed: Int, epoch: UInt64
  ) {
    let units = (key.byteCount + answer.byteCount + Self.unit - 1) / Self.unit
    guard answer.byteCount <= Self.maximumResponseBytes, key.byteCount <= Self.maximumKeyBytes,
      units <= capacity, slotCount > 0
    else { return }
    if isEmpty || origins.count >= Self.maximumOrigins { clear() }
    let place = room(for: units)
    slots[chosenSlot(for: hash)] = Slot(
      mark: Self.mark(hash), place: UInt32(place), keyCount: UInt16(key.byteCount),
      answerCount: UInt16(answer.byteCount), origin: origin(Origin(feed: feed, epoch: epoch)))
    let start = place % capacity * Self.unit
    extend(to: start + units * Self.unit)
    bytes.replace(from: start, copying: key)
    bytes.replace(from: start + key.byteCount, copying: answer)
  }

  /// Whether the response has not been overwritten.
  private func isThere(_ slot: Slot) -> Bool { written - Int(slot.place) <= capacity }

  /// The position of `units` contiguous units to write; their previous content is lost.
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

  /// The slot with the same mark, or the first free one in lookup order; else any.
  private func chosenSlot(for hash: UInt64) -> Int {
    for distance in 0..<Self.reach {
      let index = index(hash, distance)
      let slot = slots[index]
      if slot.answerCount == 0 || slot.mark == Self.mark(hash) || !isThere(slot) { return index }
    }
    return index(hash, Int(truncatingIfNeeded: hash >> 60))
  }

  private mutating func origin(_ origin: Origin) -> UInt32 {
    // Most responses belong to the newest origins.
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
    // Memory that was never written to is not occupied.
    if bytes.isEmpty { bytes.reserveCapacity(capacity * Self.unit) }
    origins.removeAll(keepingCapacity: true)
    written = 0
  }
}
