package import FeedSamples
import FeedSchema
package import FeedStorage
import Foundation

/// A store in its own temporary directory, removed with the object.
package final class TemporaryStore {
  package let directory: String
  package let database: FeedDatabase

  package init() throws(StoreError) {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("feedcore-bench-\(UUID().uuidString)")
    directory = url.path
    database = try FeedDatabase.open(at: url.appendingPathComponent("store").path)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// Ingests a sample and returns the name of its feed.
  ///
  /// - Parameter isCancelled: called from time to time; true ends it with an error.
  package func ingest(
    _ sample: SamplePayload, isCancelled: @escaping () -> Bool = { false }
  ) throws -> FeedName {
    let file = directory + "/sample"
    guard FileManager.default.createFile(atPath: file, contents: nil),
      let handle = FileHandle(forWritingAtPath: file)
    else { throw StoreError(.ioError, "the sample cannot be written", path: file) }
    defer { try? FileManager.default.removeItem(atPath: file) }
    try sample.write { chunk in
      if isCancelled() { throw StoreError(.cancelled, "the sample was cancelled", path: file) }
      try chunk.withUnsafeBytes { try handle.write(contentsOf: $0) }
    }
    try handle.close()
    return try database.ingest([file], isCancelled: isCancelled).feed.name
  }
}
