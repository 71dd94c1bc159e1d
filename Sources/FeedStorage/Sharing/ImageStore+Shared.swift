import FeedRecord
import LMDB

extension FeedDatabase {
  /// Whether this store is a copy of a shared one.
  package var isCopy: Bool { authority != nil }

  /// Opens the images in the directory of this store. Those of a copy are copies too.
  package func openImages(_ options: ImageStore.Options) throws(StoreError) -> ImageStore {
    try ImageStore.open(at: directory, options, authority)
  }
}

extension ImageStore {
  /// Whether this store has copies of the images of a shared one.
  package var isCopy: Bool { authority != nil }

  /// Brings the copy of an image up to date. Does nothing in a store that is not a copy, or for an
  /// image that was compared a short time ago.
  ///
  /// - Throws: an error of the shared store if no copy of the image exists. Otherwise the copy is
  ///   used: images are a cache, and an old image is better than none.
  package func refresh(_ url: String) throws(StoreError) {
    guard let authority else { return }
    let url = ImageURL.text(url)
    do throws(StoreError) {
      try authority.refreshImage(url, in: self)
    } catch {
      guard try isStored(url) else { throw error }
    }
  }

  /// The same for several URLs under which an image may be stored.
  ///
  /// - Throws: an error of the shared store if no copy exists under any of the URLs
  package func refresh(oneOf urls: [String]) throws(StoreError) {
    var failure: StoreError?
    for url in urls {
      do throws(StoreError) { try refresh(url) } catch { failure = failure ?? error }
    }
    guard let failure else { return }
    for url in urls where try isStored(ImageURL.text(url)) { return }
    throw failure
  }

  /// Whether ``refresh(_:)`` would ask the shared store, which blocks the thread.
  package func isStale(_ url: String) -> Bool {
    guard let authority else { return false }
    return authority.isImageStale(ImageURL.text(url))
  }

  /// Removes a damaged copy, so that the next read copies the image again.
  ///
  /// - Returns: false in a store that is not a copy
  package func dropDamagedCopy(of url: String) throws(StoreError) -> Bool {
    guard let authority else { return false }
    _ = try removeStored(url)
    authority.forgetImage(ImageURL.text(url))
    return true
  }

  /// Stores the copy of an image of the shared store.
  ///
  /// - Throws: `damaged` if the bytes are not those of the description; as
  ///   ``insert(_:for:_:)-(RawSpan,_,_)``
  package func insertCopy(
    _ data: RawSpan, _ description: ImageDescription
  ) throws(StoreError) {
    guard data.byteCount == description.byteCount, KeyHash.hash(data) == description.checksum else {
      throw StoreError(
        .damaged,
        "the image \(description.url) is damaged in the shared store; put it again")
    }
    try store(data, description)
  }

  /// Removes the copy of an image. The shared store keeps the image.
  package func removeCopy(of url: String) throws(StoreError) {
    // Most images that are not found have no copy, and a write would wait for other writers.
    if try isStored(url) { try removeStored(url) }
  }

  // MARK: Changes of a copy

  /// Stores an image in the shared store, then here. The next read compares both, so it repeats a copy
  /// that fails here.
  func insertShared(
    _ data: RawSpan, _ description: ImageDescription, _ authority: any ImageAuthority,
    _ patience: Duration?
  ) throws(StoreError) {
    try Self.requireFit(data.byteCount, under: byteCap(), path: directory)
    do throws(StoreError) {
      try authority.publish(description, data, patience: patience)
    } catch {
      // The fetched image is stored here, so that it is not fetched again for each read.
      guard patience != nil else { throw error }
      try store(data, description)
      authority.keepImageCopy(description.url)
      throw error
    }
    try? store(data, description)
    // A comparison during the copy may have seen an earlier image here.
    authority.forgetImage(description.url)
  }

  /// Renews an image in the shared store, then its copy.
  func renewShared(
    _ url: String, of checksum: UInt64?, _ metadata: ImageMetadata,
    _ authority: any ImageAuthority, _ patience: Duration?
  ) throws(StoreError) -> Bool {
    let renewed = try authority.renewImage(
      url, of: checksum, metadata, now: options.now(), patience: patience)
    guard let renewed else { return false }
    // A copy with other bytes, or that cannot be renewed, is replaced by the next read.
    _ = try? renewStored(url, of: renewed.checksum, renewed.metadata)
    authority.forgetImage(url)
    return true
  }

  /// Removes an image from the shared store, then its copy.
  func removeShared(
    _ url: String, _ authority: any ImageAuthority, _ patience: Duration?
  ) throws(StoreError) -> Bool {
    let wasThere = try authority.removeImage(url, patience: patience)
    try removeCopy(of: url)
    authority.forgetImage(url)
    return wasThere
  }

  /// The limit of the occupied bytes.
  package func byteCap() throws(StoreError) -> Int {
    try tables.environment.read { transaction throws(StoreError) in
      Int(clamping: try tables.totals(transaction).byteCap)
    }
  }
}

extension ImageStore {
  /// The hash of a URL, by which the shared store has its image.
  package static func hash(of url: String) -> UInt128 {
    let text = url.utf8
    return KeyHash.wideHash(text.span.bytes)
  }

  /// The hash in hexadecimal digits.
  package static func hashText(of url: String) -> String { String(hash(of: url), radix: 16) }
}
