import Foundation
import Samples

/// Universities with unique names, as one document and as single texts. Each store can use the name
/// as a key.
struct UniqueUniversities {
  /// The escaped name and the JSON text of each university, in the order of the document.
  let texts: Entries
  /// All universities as one array.
  let document: Data

  init(count: Int) throws {
    var lines = UniqueLines(count: count)
    do {
      // About every second name is a repetition.
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

/// Takes lines until it has the given number of different names.
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

  /// The text between the third and the fourth quotation mark, which is the value of the first key.
  static func name(in line: Data) -> Data {
    let parts = line.split(separator: 0x22, maxSplits: 4, omittingEmptySubsequences: false)
    return parts.count > 3 ? Data(parts[3]) : Data()
  }
}
