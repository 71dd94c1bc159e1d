import Foundation
import Samples

/// Universities of which no two have one name, so that each store can have the name as its key, as
/// a document and one by one.
struct UniqueUniversities {
  /// The name, escaped as it is there, and the JSON text of each, in the document's order.
  let texts: Entries
  /// All of them as one array.
  let document: Data

  init(count: Int) throws {
    var lines = UniqueLines(count: count)
    do {
      // Every second name or so is one that was there already.
      try SamplePayload(kind: .universities, records: 20 * count, format: .ndjson)
        .write { (chunk) throws(UniqueLines.Full) in
          try chunk.withUnsafeBytes { (bytes) throws(UniqueLines.Full) in try lines.take(bytes) }
        }
    } catch {}
    guard lines.taken.count == count else {
      throw ContestError("the sample has only \(lines.taken.count) names")
    }
    document = Data("[".utf8) + Data(lines.taken.joined(separator: Data(",".utf8))) + Data("]".utf8)
    var texts = Entries()
    for line in lines.taken { texts.append(key: UniqueLines.name(in: line), value: line) }
    self.texts = texts
  }
}

/// Takes lines until it has so many whose names differ.
private struct UniqueLines {
  struct Full: Error {}

  private let count: Int
  private(set) var taken: [Data] = []
  private var names: Set<Data> = []
  private var rest = Data()

  init(count: Int) { self.count = count }

  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(Full) {
    rest.append(contentsOf: bytes)
    guard let end = rest.lastIndex(of: 0x0A) else { return }
    let lines = rest[..<end].split(separator: 0x0A)
    rest = Data(rest[(end + 1)...])
    for line in lines {
      guard names.insert(Self.name(in: line)).inserted else { continue }
      taken.append(Data(line))
      if taken.count == count { throw Full() }
    }
  }

  /// What stands between the third and the fourth quotation mark: the value of the first key.
  static func name(in line: Data) -> Data {
    let parts = line.split(separator: 0x22, maxSplits: 4, omittingEmptySubsequences: false)
    return parts.count > 3 ? Data(parts[3]) : Data()
  }
}
