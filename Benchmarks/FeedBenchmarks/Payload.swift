import FeedCore
import Foundation

/// The universities of the examples, many times over, as a file and as a published feed.
struct Payload: Sendable {
  /// Records in the file.
  static let records = 100_000

  let directory: URL
  let file: String
  let byteCount: Int

  /// Writes the file. `repository` is the root of the checkout.
  init(repository: URL) throws {
    let example = repository.appendingPathComponent("Examples/universities.json")
    let text = String(decoding: try Data(contentsOf: example), as: UTF8.self)
    let body = text.trimmingCharacters(in: .whitespacesAndNewlines).dropFirst().dropLast()
    let count = body.components(separatedBy: "\"alpha_two_code\"").count - 1
    let document =
      "[" + Array(repeating: body, count: Self.records / count).joined(separator: ",") + "]"
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "feedcore-benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let path = directory.appendingPathComponent("universities.json")
    try Data(document.utf8).write(to: path)
    file = path.path
    byteCount = document.utf8.count
  }

  /// Opens a store and ingests the file into it.
  func publish() throws -> FeedDatabase {
    let database = try FeedDatabase.open(at: directory.appendingPathComponent("store").path)
    _ = try database.ingest([file])
    return database
  }

  func remove() { try? FileManager.default.removeItem(at: directory) }
}
