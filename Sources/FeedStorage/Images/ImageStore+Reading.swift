import LMDB

extension ImageStore {
  /// Passes the bytes of an image in the map to the body, without a copy.
  ///
  /// The first read of an image by this process verifies its checksum. While the body runs, pages
  /// of replaced or evicted images cannot be reused, so bodies should be short. For a slow
  /// receiver, copy the image with ``retrieve(_:)``.
  ///
  /// The delivered bytes are those that were stored. A nil result is verified too: an image hidden
  /// by damage is `damaged`, not absent. The verification scans the keys of a thousandth of all
  /// images. An image that is found does not need it.
  ///
  /// - Returns: the result of the body; nil if there is no image with this URL, or it has expired
  /// - Throws: `damaged`; the error of the body
  @inlinable
  public func withImageData<R: ~Copyable>(
    for url: String, _ body: (inout ImageChunks) throws(StoreError) -> R
  ) throws(StoreError) -> R? {
    var result: R?
    try readImage(url) { chunks throws(StoreError) in result = try body(&chunks) }
    return result
  }

  /// Not generic, so that the path to the body is compiled for concrete types.
  @usableFromInline
  func readImage(
    _ url: String, _ body: (inout ImageChunks) throws(StoreError) -> Void
  ) throws(StoreError) {
    let url = try storedURL(url)
    let text = url.utf8
    let bytes = text.span.bytes
    let key = key(of: bytes)
    try tables.readers.read { transaction throws(StoreError) in
      let image = try image(key, url, bytes, transaction)
      access.count(isFound: image != nil, key)
      guard let image else { return }
      access.mark(key)
      var chunks = ImageChunks(image, key, in: TableReader(transaction, tables.bodies))
      try body(&chunks)
    }
  }

  /// A verified image that may be delivered.
  private func image(
    _ key: ImageKey, _ url: String, _ bytes: RawSpan, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> CachedImage? {
    let snapshot = transaction.snapshot
    if let snapshot, let image = cache.image(key, in: snapshot), image.isOf(bytes) {
      return image.isExpired(at: options.now) ? nil : image
    }
    guard let row = try row(key, bytes, transaction) else { return nil }
    let image = cache.image(key, url, of: row)
    if !verifiedImages.contains(key, row.generation, inMapping: transaction.mappingNumber) {
      var chunks = ImageChunks(image, key, in: TableReader(transaction, tables.bodies))
      try chunks.verify()
      verifiedImages.insert(key, row.generation, inMapping: transaction.mappingNumber)
    }
    if let snapshot { cache.insert(image, key, in: snapshot) }
    return image
  }

  /// Copies an image from the store; nil if there is none with this URL, or it has expired.
  ///
  /// A copy of a shared store first compares the image with that of the shared store.
  ///
  /// - Throws: `damaged`
  public func retrieve(_ url: String) throws(StoreError) -> StoredImage? {
    try refresh(url)
    do throws(StoreError) {
      return try retrieveStored(url)
    } catch {
      guard error.code == .damaged, try dropDamagedCopy(of: url) else { throw error }
      try refresh(url)
      return try retrieveStored(url)
    }
  }

  private func retrieveStored(_ url: String) throws(StoreError) -> StoredImage? {
    try withImageData(for: url) { chunks throws(StoreError) in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(chunks.byteCount)
      while let chunk = try chunks.next() {
        chunk.withUnsafeBytes { bytes.append(contentsOf: $0) }
      }
      return StoredImage(description: chunks.description, bytes: bytes)
    }
  }

  /// The description of an image; nil if there is none with this URL, or it has expired.
  ///
  /// Does not count as a read.
  public func description(of url: String) throws(StoreError) -> ImageDescription? {
    let url = try storedURL(url)
    let text = url.utf8
    let bytes = text.span.bytes
    return try tables.environment.read { transaction throws(StoreError) in
      try row(key(of: bytes), bytes, transaction)?.description
    }
  }

  /// The form of a URL under which its image is stored. Earlier versions stored a URL as it was
  /// given; that form is used if it has an image and the current form has none.
  func storedURL(_ given: String) throws(StoreError) -> String {
    let url = ImageURL.text(given)
    if url == given { return url }
    if try isStored(url) { return url }
    return try isStored(given) ? given : url
  }

  /// Whether this store has an image, under exactly this URL, that would be delivered.
  func isStored(_ url: String) throws(StoreError) -> Bool {
    let text = url.utf8
    let bytes = text.span.bytes
    return try tables.environment.read { transaction throws(StoreError) in
      try row(key(of: bytes), bytes, transaction) != nil
    }
  }

  /// Whether an image would be delivered. Does not count as a read.
  ///
  /// A copy of a shared store first compares the image with that of the shared store.
  public func contains(_ url: String) throws(StoreError) -> Bool {
    try refresh(url)
    return try containsStored(url)
  }

  /// The same without comparing the image with that of a shared store.
  package func containsStored(_ url: String) throws(StoreError) -> Bool {
    try isStored(storedURL(url))
  }

  /// Counts a read that found no image, for callers that look up its description first.
  package func countMiss(_ url: String) { access.count(isFound: false, key(of: url)) }

  /// Whether an image still has this description and may be delivered. Counts as a read, for
  /// callers that have a copy of its bytes.
  package func isCurrent(_ description: ImageDescription) throws(StoreError) -> Bool {
    let text = description.url.utf8
    let bytes = text.span.bytes
    let key = key(of: bytes)
    if isStale(description.url) { return false }
    return try tables.environment.read { transaction throws(StoreError) in
      guard try image(key, description.url, bytes, transaction)?.description == description else {
        return false
      }
      access.mark(key)
      access.count(isFound: true, key)
      return true
    }
  }

  /// Calls `body` with every image, including expired ones, in no particular order, until it
  /// returns false.
  ///
  /// The snapshot is renewed every few thousand images, so a slow body does not make the file grow.
  /// Images that are added or removed meanwhile may or may not be visited.
  public func forEachImage(
    _ body: (ImageDescription) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try forEachRow { _, row throws(StoreError) in
      guard let row else { throw tables.failure(RowReader.damaged) }
      return try body(row.description)
    }
  }

  /// Calls `body` with the images of one step of a walk in the order of their URLs' hashes. An
  /// image that exists during the whole walk is visited, whatever is added or removed meanwhile.
  ///
  /// - Parameters:
  ///   - start: the upper bits of a hash: the end of the previous step, or 0
  ///   - bits: the number of upper bits, at most 64
  ///   - limit: the approximate number of images per step
  /// - Returns: the start of the next step; nil at the end
  package func forEachImage(
    fromHash start: UInt64, bits: Int, limit: Int,
    _ body: (ImageDescription) throws(StoreError) -> Void
  ) throws(StoreError) -> UInt64? {
    let shift = UInt128(128 - min(max(bits, 1), 64))
    func position(_ key: ImageKey) -> UInt64 { UInt64(truncatingIfNeeded: key.hash >> shift) }
    return try tables.environment.read { transaction throws(StoreError) in
      var count = 0
      var last: UInt64?
      var end: UInt64?
      let rest = try forEachRow(from: ImageKey(UInt128(start) << shift), transaction) {
        key, row throws(StoreError) in
        if count >= limit, position(key) != last {
          end = position(key)
          return false
        }
        last = position(key)
        count += 1
        // A damaged one is reported when it is requested.
        if let row { try body(row.description) }
        return true
      }
      return end ?? rest.map(position)
    }
  }

  /// Does the same with keys and rows; a damaged row is nil.
  func forEachRow(
    _ body: (ImageKey, ImageRow?) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var next: ImageKey? = ImageKey(0)
    while let start = next {
      next = try tables.environment.read { transaction throws(StoreError) in
        try forEachRow(from: start, transaction, body)
      }
    }
  }

  /// Continues for the lifetime of one snapshot; returns the next key, or nil at the end.
  private func forEachRow(
    from start: ImageKey, _ transaction: borrowing ReadTransaction,
    _ body: (ImageKey, ImageRow?) throws(StoreError) -> Bool
  ) throws(StoreError) -> ImageKey? {
    let began = ContinuousClock.now
    var count = 0
    do {
      var cursor = try transaction.cursor(tables.images)
      let bytes = start.bytes
      var hasEntry = try cursor.seek(atOrAfter: bytes.span.bytes)
      while hasEntry {
        guard let key = ImageKey(cursor.key) else { throw RowReader.damaged }
        if count >= StoreFormat.snapshotRecords { return key }
        if ContinuousClock.now - began >= StoreFormat.snapshotAge, count > 0 { return key }
        guard try body(key, try Self.row(cursor.value)) else { return nil }
        count += 1
        hasEntry = try cursor.next()
      }
      return nil
    } catch {
      throw tables.failure(error)
    }
  }

  /// Nil if the row is damaged.
  private static func row(_ bytes: RawSpan) throws(StoreError) -> ImageRow? {
    do throws(StoreError) {
      return try ImageRow(bytes)
    } catch  where error.code == .damaged {
      return nil
    }
  }

  /// The row of an image that may be delivered.
  @_lifetime(borrow transaction)
  private func row(
    _ key: ImageKey, _ url: RawSpan, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> ImageRowView? {
    let bytes = key.bytes
    do {
      guard let value = try transaction.get(tables.images, bytes.span.bytes) else {
        try tables.verifyAbsence(of: key, transaction)
        return nil
      }
      let row = try ImageRowView(value)
      guard row.isOf(url) else {
        // Another URL with the same hash; any other row is here only because of damage.
        guard row.key(options.hash) == key else { throw RowReader.damaged }
        return nil
      }
      return row.isExpired(at: options.now) ? nil : row
    } catch {
      throw tables.failure(error)
    }
  }
}
