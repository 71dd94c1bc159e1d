import TestSupport

/// Reads any bytes as a document whose records are found, and as the schema of a feed.
///
/// The first byte of an input chooses whether the document is complete, and a path.
enum DocumentTarget: FuzzTarget {
  static func take(_ input: RawSpan) {
    guard !input.isEmpty else { return }
    let choice = Int(input.unsafeLoad(fromByteOffset: 0, as: UInt8.self))
    HostileDocumentText.take(input.extracting(1..<input.byteCount), choice: choice)
  }

  static func corpus(_ seeds: SeedDocuments) -> [[UInt8]] {
    (HostileDocumentText.samples + seeds.small).enumerated().map { [UInt8($0 % 256)] + $1 }
  }
}
