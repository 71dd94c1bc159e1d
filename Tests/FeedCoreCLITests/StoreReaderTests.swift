import FeedStorage
import Foundation
import TestSupport
import Testing

/// The data file of a store as another language reads it.
@Suite("Store reader in Python")
struct StoreReaderTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let python = "/usr/bin/env"
  private static let isInstalled = (try? run(["-c", ""]).status) == 0

  @Test(
    "prints each feed of a golden store as export does, byte for byte",
    .enabled(if: isInstalled, "python3 is not installed"),
    arguments: ["store-v2-rows-v4", "store-v2-rows-v3", "store-v2", "killed-v1"])
  func golden(name: String) throws {
    let workspace = try Workspace()
    let store = workspace.path + "/golden"
    try FileManager.default.createDirectory(
      atPath: store + "/feeds", withIntermediateDirectories: true)
    let source = Self.root.appending(path: "Tests/FeedStorageTests/Golden/\(name)/feeds/data.mdb")
    try FileManager.default.copyItem(atPath: source.path, toPath: store + "/feeds/data.mdb")
    try compare(store, workspace)
  }

  @Test(
    "prints feeds of many blocks as export does, byte for byte",
    .enabled(if: isInstalled, "python3 is not installed"))
  func large() throws {
    let workspace = try Workspace()
    for kind in ["universities", "feed", "comments", "characters", "news"] {
      let file = try workspace.sample(kind, 3_000)
      #expect(try workspace.feedcore("ingest", file).status == 0)
    }
    try compare(workspace.store, workspace)
  }

  @Test(
    "prints a feed of any schema, whose fields it takes from the store",
    .enabled(if: isInstalled, "python3 is not installed"))
  func ownSchema() throws {
    let workspace = try Workspace()
    try Readings.publish(in: FeedDatabase.open(at: workspace.store))
    let printed = try Self.run([Self.script, workspace.store, "readings"])
    #expect(printed.status == 0)
    #expect(
      String(decoding: printed.output, as: UTF8.self) == Readings.lines.joined(separator: "\n")
        + "\n")
    try compare(workspace.store, workspace)
  }

  @Test(
    "prints feeds of documents, with any keys and records, as export does, byte for byte",
    .enabled(if: isInstalled, "python3 is not installed"))
  func documents() throws {
    let workspace = try Workspace()
    try OddDocuments.publish(in: FeedDatabase.open(at: workspace.store))
    try compare(workspace.store, workspace)
  }

  @Test(
    "prints each image of a golden store as images get does, byte for byte",
    .enabled(if: isInstalled, "python3 is not installed"))
  func goldenImages() throws {
    let workspace = try Workspace()
    let store = workspace.path + "/golden"
    try FileManager.default.createDirectory(
      atPath: store + "/images", withIntermediateDirectories: true)
    let source = Self.root.appending(
      path: "Tests/FeedStorageTests/Golden/images-v2/images/data.mdb")
    try FileManager.default.copyItem(atPath: source.path, toPath: store + "/images/data.mdb")
    let list = try workspace.feedcore("images", "list", "--store", store, "--json").json()
    let images = try #require(list as? [[String: Any]])
      .filter { ($0["url"] as? String)?.contains("small-") != true || $0["bytes"] as? Int == 33 }
    #expect(images.count == 5)
    for image in images {
      let url = try #require(image["url"] as? String)
      let got = try workspace.feedcore("images", "get", url, "--offline", "--store", store)
      let printed = try Self.run([Self.script, store, "--image", url])
      #expect(got.status == (image["isExpired"] as? Bool == true ? 66 : 0))
      #expect(printed.status == (got.status == 0 ? 0 : 1))
      #expect(printed.output == got.bytes)
      if got.status == 0 { #expect(printed.output.count == image["bytes"] as? Int) }
    }
  }

  @Test(
    "reports a missing feed and a missing store",
    .enabled(if: isInstalled, "python3 is not installed"))
  func missing() throws {
    let workspace = try Workspace()
    try workspace.publishUniversities()
    for (store, feed) in [(workspace.store, "none"), (workspace.path + "/none", "universities")] {
      let outcome = try Self.run([Self.script, store, feed])
      #expect(outcome.status == 1)
      #expect(outcome.output.isEmpty)
    }
    #expect(try Self.run([Self.script, workspace.store, "--image", "none"]).status == 1)
    #expect(try Self.run([Self.script, workspace.store, "--image"]).status == 1)
  }

  private func compare(_ store: String, _ workspace: Workspace) throws {
    let list = try workspace.feedcore("feeds", "--store", store, "--json").json()
    let feeds = try #require(list as? [[String: Any]])
      // The many small feeds only cause branch pages. One of them is enough.
      .compactMap { $0["name"] as? String }.filter { !$0.hasPrefix("small-") || $0 == "small-25" }
    #expect(!feeds.isEmpty)
    for feed in feeds {
      let export = try workspace.feedcore(
        "export", feed, "--format", "ndjson", "--store", store)
      let printed = try Self.run([Self.script, store, feed])
      #expect(printed.status == 0)
      // Given the bytes, `#expect` would take minutes to describe a difference.
      let isEqual = printed.output == export.bytes
      #expect(isEqual, "\(feed)")
    }
  }

  private static var script: String { root.appending(path: "Examples/read_store.py").path }

  private static func run(_ words: [String]) throws -> (status: Int32, output: Data) {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/output"
    var environment = ProcessInfo.processInfo.environment
    // Python must not leave a file next to the script.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    let process = try RunningCommand(
      python, ["python3"] + words, environment: environment, input: .nothing,
      output: .file(file), errors: .nothing)
    let status = process.wait()
    return (status, try Data(contentsOf: URL(filePath: file)))
  }
}
