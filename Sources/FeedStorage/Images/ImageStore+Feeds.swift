public import FeedPayloads

extension ImageStore {
  /// Removes every image that no feed of a store names, and every one that has expired or is
  /// damaged.
  ///
  /// The feeds are read from one snapshot. Where a feed cannot be read nothing is removed.
  ///
  /// - Parameters:
  ///   - database: the feeds, which need not lie in the same directory
  ///   - catalog: says which fields are URLs of images. A feed of a kind that is not in it keeps
  ///     every image that any of its texts names.
  @discardableResult
  public func sweep(
    keepingImagesOf database: FeedDatabase, catalog: PayloadCatalog = .standard
  ) throws(StoreError) -> ImageSweepReport {
    try sweep { keep throws(StoreError) in
      try database.forEachImageURL(catalog: catalog, keep)
    }
  }
}
