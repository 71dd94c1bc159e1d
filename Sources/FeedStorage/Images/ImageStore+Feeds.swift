public import FeedSchema

extension ImageStore {
  /// Removes every image that no feed of a store names, and every expired or damaged one.
  ///
  /// The feeds are read from one snapshot. If a feed cannot be read, nothing is removed.
  ///
  /// - Parameters:
  ///   - database: the feeds, which may lie in another directory
  ///   - catalog: determines which fields are image URLs. A feed of another kind keeps every image
  ///     that any of its texts names.
  @discardableResult
  public func sweep(
    keepingImagesOf database: FeedDatabase, catalog: PayloadCatalog = .standard
  ) throws(StoreError) -> ImageSweepReport {
    try sweep { keep throws(StoreError) in
      try database.forEachImageURL(catalog: catalog, keep)
    }
  }
}
