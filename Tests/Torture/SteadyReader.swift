import FeedCore
import Foundation

/// Reads all feeds of a store repeatedly, in a separate process, until it is asked to end.
struct SteadyReader {
  private let database: FeedDatabase
  private(set) var count = 0
  private(set) var lookUps: [Int] = []

  init(store: String) throws {
    database = try FeedDatabase.open(at: store)
  }

  /// Ends at the line `end` on standard input, and replies to it.
  mutating func run(reply: (SteadyReader) -> String = { "\($0.count)" }) throws {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    repeat {
      for feed in try database.feeds() { try read(feed.name) }
      count += 1
      usleep(1_000)
    } while poll(&input, 1, 0) == 0
    _ = readLine()
    print(reply(self))
  }

  /// Performs one scan and three look-ups. They agree, unless a publish lies between them.
  mutating func read(_ name: FeedName) throws {
    let batches = try FeedReading.scan(database, name).batches
    try demand(batches.count == 1, "\(name) is a mixture of \(batches)")
    var tag = batches[0].tag
    for key in KnownRecords.keys {
      let began = ContinuousClock.now
      let found = try FeedReading.lookUp(key, database, name)
      lookUps.append(Int((ContinuousClock.now - began) / .microseconds(1)))
      try demand(found.count == 1, "\(name): \(key) is in \(found)")
      try demand(found[0].tag >= tag, "\(name): back from \(tag) to \(found[0].tag)")
      tag = found[0].tag
    }
  }
}
