import FeedCore
import FeedRecord
import FeedStorage
import TestSupport

/// All reads of a store whose contents are known.
struct ReadingPlan: Sendable {
  enum Step: Sendable {
    case list
    case describe(FeedName)
    case scan(FeedName)
    case lookUp(FeedName, [UInt8])
    /// The text around the records of documents.
    case envelope(FeedName)
    case image(String)

    var kind: Kind {
      switch self {
      case .list: .list
      case .describe: .description
      case .scan: .scan
      case .lookUp: .lookUp
      case .envelope: .envelope
      case .image: .image
      }
    }
  }

  /// An open store.
  struct Store {
    let feeds: FeedDatabase
    let images: ImageStore

    init(at directory: String) throws(StoreError) {
      feeds = try FeedDatabase.open(
        at: directory, options: FeedDatabase.Options(createsMissing: false))
      images = try ImageStore.open(
        at: directory, options: ImageStore.Options(createsMissing: false))
    }
  }

  enum Kind: UInt8, CaseIterable {
    case list, description, scan, lookUp, image, envelope
  }

  /// The answer for a missing image.
  static let missing = 0

  let steps: [Step]

  /// A number that represents the answer, the same in this process and its forked children.
  func answer(_ step: Step, of store: Store) throws(StoreError) -> Int {
    let database = store.feeds
    var hasher = Hasher()
    switch step {
    case .list:
      hasher.combine(try database.feeds())
    case .describe(let name):
      hasher.combine(try database.feedDescription(named: name))
    case .scan(let name):
      let feed = try database.forEachRecord(in: name) { record, position throws(StoreError) in
        hasher.combine(position)
        hasher.combine(KeyHash.hash(record.bytes))
        return true
      }
      hasher.combine(feed)
    case .lookUp(let name, let key):
      let count = try database.forEachRecord(in: name, withKeyBytes: key.span.bytes) {
        record, position throws(StoreError) in
        hasher.combine(position)
        hasher.combine(KeyHash.hash(record.bytes))
        return true
      }
      hasher.combine(count)
    case .envelope(let name):
      let feed = try database.existingFeed(named: name)
      let frame = FeedFrame(feed.description, .source)
      for isAfterRecords in [false, true] {
        try frame.forEachPart(of: feed, isAfterRecords: isAfterRecords) {
          (part) throws(StoreError) in hasher.combine(KeyHash.hash(part))
        }
      }
    case .image(let url):
      guard let image = try store.images.retrieve(url) else { return Self.missing }
      hasher.combine(image.description)
      hasher.combine(KeyHash.hash(image.bytes.span.bytes))
    }
    return hasher.finalize()
  }

  func answers(of store: Store) throws(StoreError) -> [Int] {
    var answers: [Int] = []
    for step in steps { answers.append(try answer(step, of: store)) }
    return answers
  }
}
