import FeedStorage

/// What one worker knows of a feed.
struct FeedSlot {
  let name: FeedName
  /// The current generation; nil where there is none any more.
  var feed: ServedFeed?
  var pages: PageStarts
}

/// What tells whether an answer still counts that was made from a feed: all that is looked at for
/// one that was given before.
struct FeedMark: BitwiseCopyable {
  /// A number that no other generation of any feed has here.
  var epoch: UInt64 = 0
  /// The number of the store's state in which the feed was looked up last.
  var checked: UInt64 = 0
  /// When its policy stops calling it valid, in seconds since 2001-01-01T00:00:00Z.
  var expiry: Double = 0
}

/// Where the pages of a generation begin, as far as they have been walked through.
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

  /// There are no more pages than this: each of those that are not known yet holds a record.
  var limit: Int {
    guard !isComplete, let last = starts.last else { return starts.count }
    return starts.count - 1 + max(recordCount - last, 1)
  }

  /// Tells where the page behind the last known one begins; nil where that was the last.
  mutating func add(_ start: Int?) {
    guard let start else {
      isComplete = true
      return
    }
    starts.append(start)
  }
}
