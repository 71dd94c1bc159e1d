import LMDB

/// Makes room by the clock: images leave in the order in which they came, but for those that were
/// read since the hand last came by, which go to the end of the ring.
///
/// The hand is the head of the ring. It is turned by those who write, in their transactions.
struct ImageEvictor {
  let access: ImageAccess
  let now: Double
  /// Images that may still be passed over.
  private(set) var chances = ImageFormat.secondChances

  init(_ access: ImageAccess, now: Double) {
    self.access = access
    self.now = now
  }

  /// Evicts until so many more bytes fit under the cap.
  ///
  /// - Returns: false where the edit's limit came first: go on in another transaction
  mutating func makeRoom(
    for byteCount: Int, in edit: inout ImageEdit, _ transaction: inout WriteTransaction
  ) throws(StoreError) -> Bool {
    let byteCap = Int(clamping: edit.totals.byteCap)
    let wanted = Self.occupation(byteCap, fileBytes: edit.fileBytes(transaction))
    while try edit.occupiedBytes(transaction) + byteCount > wanted {
      if edit.limit.isReached { return false }
      if try turn(in: &edit, &transaction) { continue }
      // Alone in the store an image may have all of the cap.
      if try edit.occupiedBytes(transaction) + byteCount <= byteCap { return true }
      throw StoreError(
        .damaged,
        "the image store is full of images that its ring does not know; delete the directory"
          + " and fetch the images again",
        path: edit.tables.environment.path)
    }
    return true
  }

  /// What the images may occupy in a file of a given length.
  ///
  /// The pages of an image have to lie side by side, so that a file grows where free ones are too
  /// scattered. The more it has grown beyond the cap, the more of it is kept free.
  private static func occupation(_ byteCap: Int, fileBytes: Int) -> Int {
    let excess = max(fileBytes - byteCap, 0) - byteCap / 20
    return byteCap - min(max(excess, 0), byteCap / 8)
  }

  /// Evicts so many bytes of images, or as many as the edit's limit allows.
  ///
  /// - Returns: how many bytes that were; nil where there is nothing to evict
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

  /// One step of the hand; false where there is nothing left.
  private mutating func turn(
    in edit: inout ImageEdit, _ transaction: inout WriteTransaction
  ) throws(StoreError) -> Bool {
    guard let (sequence, entry) = try edit.head(&transaction) else { return false }
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
    // A place that damage has left behind does not speak for the image that came after.
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
