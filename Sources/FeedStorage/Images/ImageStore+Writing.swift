import FeedRecord
import LMDB

extension ImageStore {
  /// Stores an image, replacing one with the same URL. Evicts others if the cap requires it.
  ///
  /// - Parameters:
  ///   - data: the image; copied once, into the store
  ///   - url: its URL. In an HTTP URL, invalid characters are escaped; all other URLs are compared
  ///     byte for byte
  ///   - metadata: its further properties. The media type of an image that is recognized by its
  ///     bytes (PNG, JPEG, GIF, WebP, AVIF, SVG, BMP, ICO) replaces the given one
  /// - Throws: `tooLarge` for an image over the limit or over the cap; `diskFull` if the disk is
  ///   full although images were evicted; `busy` if a reader has made the file grow beyond its
  ///   limit. Nothing is stored then.
  public func insert(
    _ data: RawSpan, for url: String, _ metadata: ImageMetadata = ImageMetadata()
  ) throws(StoreError) {
    try insert(data, for: url, metadata, patience: nil)
  }

  /// Stores an image that can be fetched again.
  ///
  /// - Parameter patience: how long to wait for a shared store. After that the image is stored in
  ///   this copy alone, and the error is thrown. Nil for the limit of the shared store.
  package func insert(
    _ data: RawSpan, for url: String, _ metadata: ImageMetadata, patience: Duration?
  ) throws(StoreError) {
    let description = try describe(data, ImageURL.text(url), metadata, options.now())
    if let authority { return try insertShared(data, description, authority, patience) }
    try store(data, description)
  }

  /// Stores an image in this store alone.
  func store(_ data: RawSpan, _ description: ImageDescription) throws(StoreError) {
    let now = options.now()
    let key = key(of: description.url)
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

  /// Updates the metadata of an image without changing its bytes, after a server has answered that
  /// the image has not changed (304, RFC 9111 section 4.3.4).
  ///
  /// - Parameters:
  ///   - url: its URL; it may have expired
  ///   - metadata: type and validators replace the old ones unless they are nil; the expiry is
  ///     replaced too, nil meaning never; the time of fetching is now unless given
  /// - Returns: false if there is no image with this URL any more: fetch it again
  /// - Throws: `tooLarge` for texts over the limit; `damaged`; as
  ///   ``insert(_:for:_:)-(RawSpan,_,_)``
  @discardableResult
  public func renew(_ url: String, metadata: ImageMetadata) throws(StoreError) -> Bool {
    try renew(url, of: nil, metadata: metadata)
  }

  /// Updates the metadata of an image with certain bytes.
  ///
  /// - Parameter checksum: the checksum of its bytes; nil for any
  /// - Returns: false also if the image has other bytes now, for which the metadata would be
  ///   wrong
  @discardableResult
  package func renew(
    _ url: String, of checksum: UInt64?, metadata: ImageMetadata, patience: Duration? = nil
  ) throws(StoreError) -> Bool {
    try verify(metadata)
    let url = ImageURL.text(url)
    if let authority { return try renewShared(url, of: checksum, metadata, authority, patience) }
    return try renewStored(url, of: checksum, metadata)
  }

  /// Updates the metadata of an image in this store alone.
  func renewStored(
    _ url: String, of checksum: UInt64?, _ metadata: ImageMetadata
  ) throws(StoreError) -> Bool {
    let now = options.now()
    let key = key(of: url)
    // The image is in use, so it should not be evicted for its own row.
    access.mark(key)
    var evictor = ImageEvictor(access, now: now)
    while true {
      let isRenewed = try edit { edit, transaction throws(StoreError) -> Bool? in
        guard try evictor.makeSpace(for: ImageFormat.rowGrowth, in: &edit, &transaction) else {
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
  /// - Returns: false if there is none with this URL
  @discardableResult
  public func remove(_ url: String) throws(StoreError) -> Bool {
    try remove(url, patience: nil)
  }

  /// Removes an image.
  ///
  /// - Parameter patience: how long to wait for a shared store; nil for its own limit
  package func remove(_ url: String, patience: Duration?) throws(StoreError) -> Bool {
    guard let authority else { return try removeStored(url) }
    return try removeShared(ImageURL.text(url), authority, patience)
  }

  /// Removes an image from this store alone.
  @discardableResult
  func removeStored(_ url: String) throws(StoreError) -> Bool {
    let url = try storedURL(url)
    let key = key(of: url)
    return try edit { edit, transaction throws(StoreError) in
      if case .row(let row) = try edit.find(key, transaction), row.description.url != url {
        return false
      }
      return try edit.remove(key, &transaction)
    }
  }

  /// Changes the limit of the occupied bytes; evicts images at once if necessary.
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
        return try evictor.makeSpace(for: 0, in: &edit, &transaction)
      }
    }
  }

  /// Runs an edit in its own transaction.
  func edit<R>(
    _ limit: ImageEdit.Limit = ImageEdit.Limit(),
    _ body: (inout ImageEdit, inout WriteTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let (result, evicted) = try tables.environment.write {
      (transaction: inout WriteTransaction) throws(StoreError) in
      var edit = try ImageEdit(tables, limit, transaction)
      if !edit.totals.hasBuckets { try edit.makeBuckets(&transaction) }
      let evictions = edit.totals.evictions
      let result = try body(&edit, &transaction)
      try edit.finish(&transaction)
      return (result, edit.totals.evictions &- evictions)
    }
    if evicted > 0 { StorageEvents.evicted(images: Int(clamping: evicted)) }
    return result
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
    metadata.contentType = ImageContent(data).mediaType ?? metadata.contentType
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

  /// Whether an image fits under a cap, at least alone.
  package static func fits(_ byteCount: Int, under byteCap: Int) -> Bool {
    ImageFormat.fits(byteCount, under: byteCap)
  }

  /// - Throws: `tooLarge` for an image that does not fit under a cap even alone.
  package static func requireFit(
    _ byteCount: Int, under byteCap: Int, path: String? = nil
  ) throws(StoreError) {
    guard fits(byteCount, under: byteCap) else {
      throw StoreError(
        .tooLarge, "an image of \(byteCount) bytes does not fit under the cap of \(byteCap)",
        path: path)
    }
  }

  private func tooLarge(_ what: String, _ limit: Int) -> StoreError {
    StoreError(.tooLarge, "\(what) of \(limit)", path: directory)
  }

  /// Returns false if the limit of a transaction was reached before there was enough space.
  private func insert(
    _ data: RawSpan, _ description: ImageDescription, _ key: ImageKey, _ footprint: Int,
    _ evictor: inout ImageEvictor
  ) throws(StoreError) -> Bool {
    try edit { edit, transaction throws(StoreError) in
      let byteCap = Int(clamping: edit.totals.byteCap)
      try Self.requireFit(data.byteCount, under: byteCap, path: directory)
      guard try evictor.makeSpace(for: footprint, in: &edit, &transaction) else { return false }
      try edit.remove(key, &transaction)
      try edit.add(data, description, key, &transaction)
      return true
    }
  }

  /// Evicts images on a full disk, in transactions that need as little space as possible.
  ///
  /// The freed pages are usable at once: after a failure for lack of space the environment follows
  /// every successful commit by another one.
  ///
  /// - Returns: false if there is nothing to evict
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
        // Deleting needs pages too: retry with a smaller limit.
        guard error.code == .diskFull, let half = limit.half else { throw error }
        limit = half
      }
    }
    return freed > 0
  }
}
