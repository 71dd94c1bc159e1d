import FeedRecord
import LMDB

extension ImageStore {
  /// Stores an image, in the place of one with the same URL. Others leave where the cap demands it.
  ///
  /// - Parameters:
  ///   - data: the image; copied once, into the store
  ///   - url: what it is found by, byte for byte
  ///   - metadata: what else is known of it
  /// - Throws: `tooLarge` for an image over the limit or over the cap; `diskFull` where the disk is
  ///   full although images were evicted to make room; `busy` where a reader has made the file grow
  ///   beyond its limit. Nothing is stored then.
  public func insert(
    _ data: RawSpan, for url: String, _ metadata: ImageMetadata = ImageMetadata()
  ) throws(StoreError) {
    let now = options.now()
    let description = try describe(data, url, metadata, now)
    let key = key(of: url)
    let footprint = ImageFormat.footprint(data.byteCount)
    try refuseReader(beforeWriting: footprint)
    var evictor = ImageEvictor(access, now: now)
    var attempts = 0
    while true {
      do throws(StoreError) {
        if try insert(data, description, key, footprint, &evictor) { return }
      } catch {
        guard error.code == .diskFull, attempts < 3 else { throw error }
        attempts += 1
        guard try evict(footprint << attempts, &evictor) else { throw error }
      }
    }
  }

  /// Tells anew what is known of an image, whose bytes stay as they are: what a server's answer
  /// that it has not changed is for (304, RFC 9111 section 4.3.4).
  ///
  /// - Parameters:
  ///   - url: what it was stored by; it may have expired
  ///   - metadata: type and validators take the place of the old ones, which stay where these are
  ///     nil; so does the expiry, nil standing for never; the time of fetching is now unless told
  /// - Returns: false where there is no image of this URL any more: fetch it again
  /// - Throws: `tooLarge` for texts over the limit; `damaged`; as ``insert(_:for:_:)-(RawSpan,_,_)``
  @discardableResult
  public func renew(_ url: String, metadata: ImageMetadata) throws(StoreError) -> Bool {
    try renew(url, of: nil, metadata: metadata)
  }

  /// The same for an image of certain bytes.
  ///
  /// - Parameter checksum: that of its bytes; nil for any
  /// - Returns: false also where it has other bytes by now, of which the metadata would not be true
  @discardableResult
  package func renew(
    _ url: String, of checksum: UInt64?, metadata: ImageMetadata
  ) throws(StoreError) -> Bool {
    let now = options.now()
    try verify(metadata)
    let key = key(of: url)
    // It is wanted, so that it should not be the one that leaves for its own row.
    access.mark(key)
    var evictor = ImageEvictor(access, now: now)
    while true {
      let isRenewed = try edit { edit, transaction throws(StoreError) -> Bool? in
        guard try evictor.makeRoom(for: ImageFormat.rowGrowth, in: &edit, &transaction) else {
          return nil
        }
        switch try edit.find(key, transaction) {
        case .nothing: return false
        case .damaged: throw tables.failure(RowReader.damaged)
        case .row(let row):
          let description = row.description
          guard description.url == url, checksum == nil || checksum == description.checksum else {
            return false
          }
          try edit.replace(row.renewed(metadata, now: now), key, &transaction)
          return true
        }
      }
      if let isRenewed { return isRenewed }
    }
  }

  /// Removes an image.
  ///
  /// - Returns: false where there is none of this URL
  @discardableResult
  public func remove(_ url: String) throws(StoreError) -> Bool {
    let key = key(of: url)
    return try edit { edit, transaction throws(StoreError) in
      if case .row(let row) = try edit.find(key, transaction), row.description.url != url {
        return false
      }
      return try edit.remove(key, &transaction)
    }
  }

  /// Changes what the images may occupy; those beyond it leave at once.
  ///
  /// - Throws: `misuse` for less than 1 MiB
  public func setByteCap(_ byteCap: Int) throws(StoreError) {
    try Self.verify(byteCap: byteCap)
    let current = try tables.environment.read { transaction throws(StoreError) in
      try tables.totals(transaction).byteCap
    }
    guard current != byteCap else { return }
    var evictor = ImageEvictor(access, now: options.now())
    var isDone = false
    while !isDone {
      isDone = try edit { edit, transaction throws(StoreError) in
        edit.setByteCap(byteCap)
        return try evictor.makeRoom(for: 0, in: &edit, &transaction)
      }
    }
  }

  /// Runs an edit in a transaction of its own.
  func edit<R>(
    _ limit: ImageEdit.Limit = ImageEdit.Limit(),
    _ body: (inout ImageEdit, inout WriteTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    try tables.environment.write { (transaction: inout WriteTransaction) throws(StoreError) in
      var edit = try ImageEdit(tables, limit, transaction)
      if !edit.totals.hasShelves { try edit.makeShelves(&transaction) }
      let result = try body(&edit, &transaction)
      try edit.finish(&transaction)
      return result
    }
  }

  // MARK: Steps of an insertion

  private func describe(
    _ data: RawSpan, _ url: String, _ metadata: ImageMetadata, _ now: Double
  ) throws(StoreError) -> ImageDescription {
    guard data.byteCount <= options.imageLimit else {
      throw tooLarge("an image of \(data.byteCount) bytes is over the limit", options.imageLimit)
    }
    guard url.utf8.count <= ImageFormat.urlLimit else {
      throw tooLarge("a URL of \(url.utf8.count) bytes is over the limit", ImageFormat.urlLimit)
    }
    try verify(metadata)
    var metadata = metadata
    metadata.fetchedReferenceSeconds = metadata.fetchedReferenceSeconds ?? now
    return ImageDescription(
      url: url, byteCount: data.byteCount, checksum: KeyHash.hash(data), metadata: metadata)
  }

  private func verify(_ metadata: ImageMetadata) throws(StoreError) {
    for text in [metadata.contentType, metadata.entityTag, metadata.lastModified] {
      let count = text?.utf8.count ?? 0
      guard count <= ImageFormat.textLimit else {
        throw tooLarge("a header of \(count) bytes is over the limit", ImageFormat.textLimit)
      }
    }
  }

  /// - Throws: `tooLarge` for an image that has no room under a cap, though it were alone.
  package static func requireFit(
    _ byteCount: Int, under byteCap: Int, path: String? = nil
  ) throws(StoreError) {
    guard ImageFormat.fits(byteCount, under: byteCap) else {
      throw StoreError(
        .tooLarge, "an image of \(byteCount) bytes does not fit under the cap of \(byteCap)",
        path: path)
    }
  }

  private func tooLarge(_ what: String, _ limit: Int) -> StoreError {
    StoreError(.tooLarge, "\(what) of \(limit)", path: directory)
  }

  /// False where the limit of a transaction came before there was room enough.
  private func insert(
    _ data: RawSpan, _ description: ImageDescription, _ key: ImageKey, _ footprint: Int,
    _ evictor: inout ImageEvictor
  ) throws(StoreError) -> Bool {
    try edit { edit, transaction throws(StoreError) in
      let byteCap = Int(clamping: edit.totals.byteCap)
      try Self.requireFit(data.byteCount, under: byteCap, path: directory)
      guard try evictor.makeRoom(for: footprint, in: &edit, &transaction) else { return false }
      try edit.remove(key, &transaction)
      try edit.add(data, description, key, &transaction)
      return true
    }
  }

  /// Evicts where the disk is full, by transactions that take as little as they must.
  ///
  /// What they free can be used at once: after a failure for want of room the environment puts a
  /// commit behind each that succeeds.
  ///
  /// - Returns: false where there is nothing to evict
  private func evict(
    _ byteCount: Int, _ evictor: inout ImageEvictor
  ) throws(StoreError) -> Bool {
    var limit = ImageEdit.Limit()
    var freed = 0
    while freed < byteCount {
      do throws(StoreError) {
        let step = try edit(limit) { edit, transaction throws(StoreError) in
          try evictor.evict(byteCount - freed, in: &edit, &transaction)
        }
        guard let step else { break }
        freed += step
      } catch {
        // Deleting takes pages too: try to do with fewer.
        guard error.code == .diskFull, let half = limit.half else { throw error }
        limit = half
      }
    }
    return freed > 0
  }
}
