import LMDB

/// What a sweep of the image store has removed.
public struct ImageSweepReport: Hashable, Sendable {
  /// Images that were removed, whatever the reason.
  public internal(set) var removed = 0
  /// Those of them that had expired.
  public internal(set) var expired = 0
  /// Those of them that could not be read any more.
  public internal(set) var damaged = 0
  /// The bytes of all of them, as far as they were known.
  public internal(set) var freedBytes = 0
}

extension ImageStore {
  /// Removes every image whose URL is not among these, and every one that has expired or is
  /// damaged.
  ///
  /// An image that is stored while this runs stays. What damage has hidden is given up: from then on
  /// it counts as never stored. Memory is that of the store's keys, however
  /// many URLs there are.
  ///
  /// - Throws: what the store throws; what was removed before stays removed
  @discardableResult
  public func sweep(
    keeping urls: some Sequence<String>
  ) throws(StoreError) -> ImageSweepReport {
    try sweep { keep in
      for url in urls {
        let text = url.utf8
        keep(text.span.bytes)
      }
    }
  }

  /// Removes every image that has expired or is damaged.
  @discardableResult
  public func removeExpired() throws(StoreError) -> ImageSweepReport {
    var images = try candidates()
    images.unwanted = [:]
    return try remove(images)
  }

  /// The same as the sweep of a sequence; `enumerate` is given a function that it calls with the
  /// bytes of each URL to keep.
  func sweep(
    keeping enumerate: ((RawSpan) -> Void) throws(StoreError) -> Void
  ) throws(StoreError) -> ImageSweepReport {
    var images = try candidates()
    try enumerate { url in images.unwanted[ImageKey(options.hash(url))] = nil }
    return try remove(images)
  }

  // MARK: Steps

  private struct Candidate {
    /// Nil where the row is damaged.
    let generation: UInt64?
    let byteCount: Int
  }

  private struct Candidates {
    /// What has to go whoever wants it.
    var expired: [ImageKey: Candidate] = [:]
    var damaged: [ImageKey: Candidate] = [:]
    /// What has to go unless somebody wants it.
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
    try takeStock()
    return report
  }

  private func remove(
    _ images: [ImageKey: Candidate], _ report: inout ImageSweepReport
  ) throws(StoreError) -> Int {
    // In the order of the keys neighbouring pages are changed together.
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

  /// Runs an edit for each element, in transactions of as many as these may have.
  ///
  /// - Parameter body: returns the bytes that it has removed; nil where that was nothing
  /// - Returns: how often it has removed something, and the sum of the bytes
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
        // Deleting takes pages too: try to do with fewer.
        guard error.code == .diskFull, let half = limit.half else { throw error }
        limit = half
      }
    }
    return removed
  }

  /// Whether it is the image that was seen, and not one that came since.
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
