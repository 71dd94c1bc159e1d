import FeedCore
import FeedRecord

/// Everything that can be asked of a store of which it is known what was put into it.
struct ReadingPlan: Sendable {
  enum Step: Sendable {
    case list
    case describe(FeedName)
    case scan(FeedName)
    case lookUp(FeedName, [UInt8])

    var kind: Kind {
      switch self {
      case .list: .list
      case .describe: .description
      case .scan: .scan
      case .lookUp: .lookUp
      }
    }
  }

  enum Kind: UInt8, CaseIterable {
    case list, description, scan, lookUp
  }

  let steps: [Step]

  /// A number that stands for the answer, the same in this process and its forked children.
  func answer(_ step: Step, of database: FeedDatabase) throws(StoreError) -> Int {
    var hasher = Hasher()
    switch step {
    case .list:
      hasher.combine(try database.feeds())
    case .describe(let name):
      hasher.combine(try database.feed(named: name))
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
    }
    return hasher.finalize()
  }

  func answers(of database: FeedDatabase) throws(StoreError) -> [Int] {
    var answers: [Int] = []
    for step in steps { answers.append(try answer(step, of: database)) }
    return answers
  }
}
