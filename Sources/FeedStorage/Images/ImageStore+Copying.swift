/// What a copy of images did.
package struct ImageCopyReport: Sendable, Hashable {
  /// The images that were copied.
  package var images = 0
  /// Their bytes.
  package var bytes = 0
  /// The images that the target has removed meanwhile, so as not to exceed its cap.
  package var evictions = 0

  package init() {}
}

extension ImageStore {
  /// Copies the images that have not expired to another store, with their properties. Each replaces
  /// an image with the same URL, and counts as a read.
  ///
  /// A copy of a shared store has the images that were read through it, and no others.
  ///
  /// - Parameters:
  ///   - report: what has been copied, also if an error is thrown
  ///   - isCancelled: ends the copy before the next image
  /// - Throws: `cancelled`; `misuse` for a copy into the same store; `tooLarge` if the images exceed
  ///   the target's cap, before any is copied, unless the target is shared; `damaged` for a damaged
  ///   image; the errors of ``insert(_:for:_:)``
  package func copyImages(
    to target: ImageStore, report: inout ImageCopyReport, isCancelled: () -> Bool
  ) throws(StoreError) {
    // A process opens a store once, whatever path leads to it.
    guard target.tables.environment !== tables.environment else {
      throw StoreError(.misuse, "the images are in this store already", path: directory)
    }
    try requireFit(in: target)
    let evictions = try target.statistics().evictions
    var copied = report
    defer { report = copied }
    try forEachImage { image throws(StoreError) in
      if isCancelled() { throw StoreError(.cancelled, "cancelled before all images were copied") }
      // An image that was removed meanwhile, or has expired, is skipped.
      guard let image = try retrieve(image.url) else { return true }
      let description = image.description
      try target.insert(image.bytes.span.bytes, for: description.url, description.metadata)
      copied.images += 1
      copied.bytes += description.byteCount
      return true
    }
    copied.evictions = max(try target.statistics().evictions - evictions, 0)
  }

  private func requireFit(in target: ImageStore) throws(StoreError) {
    guard target.authority == nil else { return }
    let (own, other) = (try statistics(), try target.statistics())
    guard own.occupiedBytes <= other.byteCap else {
      throw StoreError(
        .tooLarge,
        "the images occupy \(own.occupiedBytes) bytes, and the cap of the target is"
          + " \(other.byteCap); raise it with feedcore images cap BYTES --store \(target.directory)",
        path: target.directory)
    }
  }
}
