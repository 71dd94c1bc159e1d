import LMDB

/// Evicts images by the CLOCK algorithm. Images leave in order of insertion, except those that were
/// read since the clock hand last visited them. Those move to the end of the ring.
///
/// The hand is the head of the ring. Writers advance it in their transactions.
struct ImageEvictor {
  let access: ImageAccess
  let now: Double
  /// The number of images that may still get a second chance.
  private(set) var chances = ImageFormat.secondChances

  init(_ access: ImageAccess, now: Double) {
    self.access = access
    self.now = now
  }

  /// Evicts until `byteCount` more bytes fit under the cap.
  ///
  /// - Returns: false if the edit's limit was reached first; continue in another transaction
  mutating func makeSpace(
    for byteCount: Int, in edit: inout ImageEdit, _ transaction: inout WriteTransaction
  ) throws(StoreError) -> Bool {
    let byteCap = Int(clamping: edit.totals.byteCap)
    let wanted = Self.occupation(byteCap, fileBytes: edit.fileBytes(transaction))
    while try edit.occupiedBytes(transaction) + byteCount > wanted {
      if edit.limit.isReached { return false }
      if try turn(in: &edit, &transaction) { continue }
      // A single image may occupy the whole cap.
      if try edit.occupiedBytes(transaction) + byteCount <= byteCap { return true }
      throw StoreError(
        .damaged,
        "the image store is full of images that its ring does not know; delete the directory"
          + " and fetch the images again",
        path: edit.tables.environment.path)
    }
    return true
  }

  /// The bytes that the images may occupy in a file of a given length.
  ///
  /// The pages of an image must be contiguous, so a file grows if its free pages are too scattered.
  /// The more it has grown beyond the cap, the more of it is kept free.
  private static func occupation(_ byteCap: Int, fileBytes: Int) -> Int {
    let excess = max(fileBytes - byteCap, 0) - byteCap / 20
    return byteCap - min(max(excess, 0), byteCap / 8)
  }

  /// Evicts this number of bytes, or as many as the edit's limit allows.
  ///
  /// - Returns: the number of evicted bytes; nil if there is nothing to evict
  mutating func evict(
    _ byteCount: Int, in edit: inout ImageEdit, _ transaction: inout WriteTransaction
  ) throws(StoreError) -> Int? {
    let start = edit.totals.byteCount
    var freed: Int?
    while freed ?? 0 < byteCount, !edit.limit.isReached, try turn(in: &edit, &transaction) {
      freed = Int(clamping: start - min(start, edit.totals.byteCount))
    }
    return freed
  }

  /// Advances the hand by one step; returns false if the ring is empty.
  private mutating func turn(
    in edit: inout ImageEdit, _ transaction: inout WriteTransaction
  ) throws(StoreError) -> Bool {
    guard let (sequence, entry) = try edit.head(transaction) else { return false }
    guard let entry else {
      try edit.removeHead(sequence, nil, &transaction)
      return true
    }
    let finding = try edit.find(entry.key, transaction)
    if case .row(let row) = finding, row.generation == entry.generation, passesOver(row, entry) {
      try edit.moveToEnd(row, entry, &transaction)
      return true
    }
    try edit.removeHead(sequence, entry, &transaction)
    // A ring entry left over by damage does not represent the later image.
    if case .row(let row) = finding, row.generation != entry.generation { return true }
    try edit.removeContents(entry.key, &transaction)
    edit.countEviction()
    return true
  }

  private mutating func passesOver(_ row: ImageRow, _ entry: RingEntry) -> Bool {
    guard chances > 0, access.isMarked(entry.key), !row.description.isExpired(at: now) else {
      return false
    }
    chances -= 1
    access.clear(entry.key)
    return true
  }
}

/// An approximate record of the images that were read since the evictor last visited them.
///
/// Processes share it through a mapped file. A read costs one load. Marks may be lost, or belong to
/// another image whose key has the same slot. Without the file nothing is marked, which only costs
/// hits.
struct ImageAccess: Sendable {
  private let map: SharedByteMap?
  /// The lookup counters, in the same file.
  let counters: LookupCounters

  init(_ directory: String, _ sharing: Sharing) {
    let path = directory + "/" + ImageFormat.accessMap
    map = try? SharedByteMap.open(
      path, count: ImageFormat.accessSlots, counters: LookupCounters.count, sharing)
    counters = LookupCounters(map)
  }

  /// The counters of a store that another process uses.
  static func lookups(_ directory: String) -> StoreStatistics.Lookups? {
    let map = try? SharedByteMap.openExisting(
      directory + "/" + ImageFormat.accessMap, count: ImageFormat.accessSlots,
      counters: LookupCounters.count)
    return LookupCounters(map ?? nil).lookups
  }

  func count(isFound: Bool, _ key: ImageKey) {
    counters.count(isFound: isFound, hash: UInt64(truncatingIfNeeded: key.hash))
  }

  func mark(_ key: ImageKey) { map?.mark(slot(key)) }
  func clear(_ key: ImageKey) { map?.clear(slot(key)) }
  func isMarked(_ key: ImageKey) -> Bool { map?.isMarked(slot(key)) ?? false }

  private func slot(_ key: ImageKey) -> Int {
    Int(truncatingIfNeeded: key.hash) & (ImageFormat.accessSlots - 1)
  }
}
