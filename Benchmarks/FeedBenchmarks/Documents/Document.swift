import CPeers
import Foundation
import Samples

/// A payload in a file, made for one contest and removed with the object.
final class Document {
  let kind: PayloadKind
  let form: DocumentForm
  let path: String
  /// The bytes of the text, not of a compressed file.
  let byteCount: Int
  let records: Int
  private let directory: TemporaryDirectory

  var isLines: Bool { form == .lines }

  /// The depth of the records: 1 for the document itself.
  var recordDepth: Int { isLines ? 1 : kind.recordsKey == nil ? 2 : 3 }

  /// Writes a document of about the given number of bytes.
  init(_ kind: PayloadKind, _ form: DocumentForm, bytes: Int) throws {
    self.kind = kind
    self.form = form
    directory = try TemporaryDirectory()
    let probe = SamplePayload(kind: kind.sample, records: 2_000, format: form.format)
    var probed = 0
    probe.write { probed += $0.byteCount }
    records = max(bytes / (probed / 2_000), 1)
    let plain = directory.file("payload.json")
    byteCount = try Self.write(
      SamplePayload(kind: kind.sample, records: records, format: form.format), to: plain)
    path = try Self.compress(plain, form)
  }

  private static func write(_ sample: SamplePayload, to path: String) throws -> Int {
    var count = 0
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else {
      throw ContestError("a sample cannot be written to \(path)")
    }
    try sample.write { chunk in
      count += chunk.byteCount
      try chunk.withUnsafeBytes { try file.write(contentsOf: $0) }
    }
    try file.close()
    return count
  }

  /// Replaces a plain file by a compressed one.
  private static func compress(_ plain: String, _ form: DocumentForm) throws -> String {
    let (path, isDone) =
      switch form {
      case .pretty, .minified, .lines: (plain, true)
      case .gzip: (plain + ".gz", peers_write_gzip(plain, plain + ".gz"))
      case .zstandard: (plain + ".zst", peers_write_zstandard(plain, plain + ".zst"))
      }
    guard isDone else { throw ContestError("\(path) cannot be written") }
    if path != plain { try FileManager.default.removeItem(atPath: plain) }
    return path
  }
}
