import Foundation

/// A document of universities, and their separate texts for the peer that does not parse.
final class IngestArena {
  let path: String
  let byteCount: Int
  let texts: Entries
  private let directory: TemporaryDirectory

  init(records: Int) throws {
    let universities = try UniqueUniversities(count: records)
    texts = universities.texts
    byteCount = universities.document.count
    directory = try TemporaryDirectory()
    path = directory.file("universities.json")
    try universities.document.write(to: URL(fileURLWithPath: path))
  }
}
