import FeedCore
import Foundation
import LMDB

/// A process that keeps a store open the whole time, and reads it on request.
struct Bystander {
  private let database: FeedDatabase
  private let store: String

  init(store: String) throws {
    self.store = store
    database = try FeedDatabase.open(at: store)
  }

  /// Answers each line of standard input.
  func serve() throws {
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      let reply: String
      do {
        reply = try look(at: try FeedName(words.last ?? ""))
      } catch {
        reply = "error: \(error)".replacing("\n", with: " ")
      }
      FileHandle.standardOutput.write(Data((reply + "\n").utf8))
    }
  }

  private func look(at name: FeedName) throws -> String {
    let microseconds = try timeToLock(name)
    let batches = try FeedReading.all(database, name)
    try demand(batches.count == 1, "\(name) is a mixture of \(batches)")
    return "found \(microseconds) \(batches[0])"
  }

  /// The time that the next writer waits for the feed's lock and for LMDB's writer lock.
  private func timeToLock(_ name: FeedName) throws -> Int {
    let clock = ContinuousClock()
    let began = clock.now
    let path = "\(store)/locks/feed.\(name)"
    while try FileLock.acquire(path, .exclusive) == nil {
      try demand(clock.now - began < .seconds(10), "the dead writer's lock is still held")
    }
    // Takes a write transaction and changes nothing.
    try database.delete(try FeedName("nobody"))
    return Int((clock.now - began) / .microseconds(1))
  }
}
