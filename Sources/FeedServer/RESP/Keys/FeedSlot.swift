import FeedStorage

/// A worker's state of a feed.
struct FeedSlot {
  let name: FeedName
  /// The current generation; nil if the feed no longer exists, or while no connection reads it.
  var feed: Feed?
  /// The description of the generation whose responses are cached.
  var description: FeedDescription?
  var pages: PageStarts
  var keys = KeyTally()
}

/// The state that decides whether a cached response of a feed is still valid. A lookup of a cached
/// response reads nothing else.
struct FeedValidity: BitwiseCopyable {
  /// A number that no other generation of any feed has in this worker.
  var epoch: UInt64 = 0
  /// The number of the store's state at the last lookup of the feed.
  var checked: UInt64 = 0
  /// When the feed expires by its policy, in seconds since 2001-01-01T00:00:00Z.
  var expiry: Double = 0
}

/// The number of distinct keys of a generation's records, as far as they have been counted.
struct KeyTally {
  private(set) var count = 0
  /// The hash of the next key to count; nil if all are counted.
  private(set) var next: UInt32? = 0

  mutating func add(_ step: (count: Int, next: UInt32?)) {
    count += step.count
    next = step.next
  }
}

/// The start positions of a generation's pages, as far as they have been computed.
struct PageStarts {
  /// The position of each page's first record.
  private(set) var starts: [Int]
  private(set) var isComplete: Bool
  private let recordCount: Int

  init(recordCount: Int) {
    self.recordCount = recordCount
    starts = recordCount > 0 ? [0] : []
    isComplete = recordCount == 0
  }

  /// The maximum number of pages, since each unknown page holds at least one record.
  var limit: Int {
    guard !isComplete, let last = starts.last else { return starts.count }
    return starts.count - 1 + max(recordCount - last, 1)
  }

  /// Adds the start of the page after the last known one; nil if that was the last.
  mutating func add(_ start: Int?) {
    guard let start else {
      isComplete = true
      return
    }
    starts.append(start)
  }
}
