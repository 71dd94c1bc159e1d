import FeedCore
import FeedStorage
import Foundation
import TestSupport

/// Opens and reads stores in a separate process, so that this process detects a crash of the
/// reader.
final class StoreVerifier {
  private let process: LineProcess

  init(_ options: TortureOptions) throws {
    process = try LineProcess("the verifier") { input, output in
      try options.child(of: CrashStates.self, ["verify"], input: input, output: output)
    }
  }

  /// The contents of a store; nil if it does not exist.
  func contents(_ store: String) throws -> StoreContents? {
    try contents(of: process.ask("read \(store)"))
  }

  /// Replaces a feed of the store by a payload, and then reads all contents.
  func ingest(_ file: String, as feed: String, into store: String) throws -> StoreContents? {
    try contents(of: process.ask("ingest \(store) \(file) \(feed)"))
  }

  /// Changes the images of the store, and then reads all contents.
  func change(_ change: ImageChange, in store: String) throws -> StoreContents? {
    try contents(of: process.ask((["image", store] + change.words).joined(separator: " ")))
  }

  private func contents(of reply: String) throws -> StoreContents? {
    if reply == "none" { return nil }
    guard reply.hasPrefix("holds "), let contents = StoreContents(reply.dropFirst(6)) else {
      throw TortureFailure(reply)
    }
    return contents
  }

  // MARK: In the process itself

  static func serve() {
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      let reply: String
      do {
        reply = try answer(words)
      } catch {
        reply = "error: \(error)".replacing("\n", with: " ")
      }
      FileHandle.standardOutput.write(Data((reply + "\n").utf8))
    }
  }

  private static func answer(_ words: [String]) throws -> String {
    guard words.count >= 2 else { throw TortureFailure("\(words)?") }
    var options = FeedDatabase.Options()
    options.createsMissing = words[0] == "ingest"
    let database: FeedDatabase
    do throws(StoreError) {
      database = try FeedDatabase.open(at: words[1], options: options)
    } catch {
      if error.code == .notFound { return "none" }
      throw error
    }
    if words[0] == "ingest", words.count == 4 {
      var options = IngestOptions()
      options.feed = try FeedName(words[3])
      options.waits = true
      _ = try database.ingest([words[2]], options: options)
    }
    if words[0] == "image", let change = ImageChange(Array(words[2...])) {
      try change.perform(in: words[1])
    }
    var contents = try StoreContents(reading: database)
    contents.images = try images(of: words[1])
    return "holds \(contents)"
  }

  private static func images(of store: String) throws -> [String: KnownImage] {
    let images: ImageStore
    do throws(StoreError) {
      let options = ImageStore.Options(createsMissing: false)
      images = try ImageStore.open(at: store, options: options)
    } catch {
      if error.code == .notFound { return [:] }
      throw error
    }
    return try KnownImage.all(images)
  }
}
