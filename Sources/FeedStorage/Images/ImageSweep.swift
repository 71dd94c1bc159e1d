import LMDB

/// The result of a sweep of the image store.
public struct ImageSweepReport: Hashable, Sendable {
  /// The number of removed images.
  public internal(set) var removed = 0
  /// The number of removed images that had expired.
  public internal(set) var expired = 0
  /// The number of removed images that were unreadable.
  public internal(set) var damaged = 0
  /// The total bytes of the removed images, as far as known.
  public internal(set) var freedBytes = 0
}

extension ImageStore {
  /// Removes every image whose URL is not among these, and every expired or damaged one.
  ///
  /// An image that is stored while this runs is kept. Images hidden by damage are lost: from then
  /// on they count as never stored. Memory is proportional to the store's keys, whatever the number
  /// of URLs.
  ///
  /// - Throws: the error of the store; images removed before stay removed
  @discardableResult
  public func sweep(
    keeping urls: some Sequence<String>
  ) throws(StoreError) -> ImageSweepReport {
    try sweep { keep in
      for url in urls {
        let text = ImageURL.text(url).utf8
        keep(text.span.bytes)
        let given = url.utf8
        keep(given.span.bytes)
      }
    }
  }

  /// Removes every expired or damaged image.
  @discardableResult
  public func removeExpired() throws(StoreError) -> ImageSweepReport {
    var images = try candidates()
    images.unwanted = [:]
    return try remove(images)
  }

  /// Does the same as the sweep of a sequence; `enumerate` receives a function and calls it with
  /// the bytes of each URL to keep.
  func sweep(
    keeping enumerate: ((RawSpan) -> Void) throws(StoreError) -> Void
  ) throws(StoreError) -> ImageSweepReport {
    var images = try candidates()
    try enumerate { url in images.unwanted[ImageKey(options.hash(url))] = nil }
    return try remove(images)
  }

  // MARK: Steps

  private struct Candidate {
    /// Nil if the row is damaged.
    let generation: UInt64?
    let byteCount: Int
  }

  private struct Candidates {
    /// Images to remove in any case.
    var expired: [ImageKey: Candidate] = [:]
    var damaged: [ImageKey: Candidate] = [:]
    /// Images to remove unless their URL is kept.
    var unwanted: [ImageKey: Candidate] = [:]
  }

  private func candidates() throws(StoreError) -> Candidates {
    let now = options.now()
    var images = Candidates()
    try forEachRow { key, row in
      guard let row else {
        images.damaged[key] = Candidate(generation: nil, byteCount: 0)
        return true
      }
      let candidate = Candidate(
        generation: row.generation, byteCount: row.description.byteCount)
      if row.description.isExpired(at: now) {
        images.expired[key] = candidate
      } else {
        images.unwanted[key] = candidate
      }
      return true
    }
    return images
  }

  private func remove(_ images: Candidates) throws(StoreError) -> ImageSweepReport {
    var report = ImageSweepReport()
    report.expired = try remove(images.expired, &report)
    report.damaged = try remove(images.damaged, &report)
    _ = try remove(images.unwanted, &report)
    if report.removed > 0 { StorageEvents.swept(report) }
    try repairInconsistencies()
    return report
  }

  private func remove(
    _ images: [ImageKey: Candidate], _ report: inout ImageSweepReport
  ) throws(StoreError) -> Int {
    // In key order, changes to neighbouring pages fall into one transaction.
    let keys = images.keys.sorted { $0.hash < $1.hash }
    let removed = try editEach(keys) { edit, key, transaction throws(StoreError) in
      guard let image = images[key], try Self.isStill(image, key, edit, transaction) else {
        return nil
      }
      try edit.remove(key, &transaction)
      return image.byteCount
    }
    report.removed += removed.count
    report.freedBytes += removed.bytes
    return removed.count
  }

  /// Runs an edit for each element, in transactions that respect the limit.
  ///
  /// - Parameter body: returns the number of removed bytes; nil if nothing was removed
  /// - Returns: the number of removals, and the sum of their bytes
  @discardableResult
  func editEach<Element>(
    _ elements: [Element],
    _ body: (inout ImageEdit, Element, inout WriteTransaction) throws(StoreError) -> Int?
  ) throws(StoreError) -> (count: Int, bytes: Int) {
    var limit = ImageEdit.Limit()
    var done = 0
    var removed = (count: 0, bytes: 0)
    while done < elements.count {
      do throws(StoreError) {
        let step = try edit(limit) { edit, transaction throws(StoreError) in
          var step = (elements: 0, count: 0, bytes: 0)
          while done + step.elements < elements.count, !edit.limit.isReached {
            let bytes = try body(&edit, elements[done + step.elements], &transaction)
            step.elements += 1
            step.count += bytes == nil ? 0 : 1
            step.bytes += bytes ?? 0
          }
          return step
        }
        done += step.elements
        removed = (removed.count + step.count, removed.bytes + step.bytes)
      } catch {
        // Deleting needs pages too: retry with a smaller limit.
        guard error.code == .diskFull, let half = limit.half else { throw error }
        limit = half
      }
    }
    return removed
  }

  /// Whether it is still the same image, and not a later one.
  private static func isStill(
    _ image: Candidate, _ key: ImageKey, _ edit: ImageEdit,
    _ transaction: borrowing WriteTransaction
  ) throws(StoreError) -> Bool {
    switch try edit.find(key, transaction) {
    case .nothing: false
    case .damaged: image.generation == nil
    case .row(let row): image.generation == row.generation
    }
  }
}

extension ImageStore {
  /// Removes every image that no feed of a store names, and every expired or damaged one.
  ///
  /// The feeds are read from one snapshot. If a feed cannot be read, nothing is removed. The schema
  /// of a feed determines which fields are image URLs. A feed whose schema is not known keeps every
  /// image that any of its texts names.
  ///
  /// - Parameter database: the feeds, which may lie in another directory
  @discardableResult
  public func sweep(
    keepingImagesOf database: FeedDatabase
  ) throws(StoreError) -> ImageSweepReport {
    try sweep { keep throws(StoreError) in
      try database.forEachImageURL(keep)
    }
  }
}
