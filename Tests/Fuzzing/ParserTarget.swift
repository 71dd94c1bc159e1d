/// The differential fuzzer with libFuzzer instead of the mutator.
///
/// The first bytes of an input choose the limits and the chunks; the rest is the document.
enum ParserTarget: FuzzTarget {
  private static let longest = 48 << 10

  static func take(_ input: RawSpan) {
    guard input.byteCount >= 2 else { return }
    let bytes = (0..<min(input.byteCount, longest)).map {
      input.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
    }
    var random = DocumentGenerator(seed: UInt64(bytes[0]), document: 0)
    let limits = bytes[0] < 128 ? Limits.standard : Limits.random(using: &random)
    let chunk = 1 + Int(bytes[1])
    var check = DocumentCheck(Array(bytes[2...]), limits: limits, chunks: [chunk, 1, chunk])
    check.run()
    guard check.differences.isEmpty else {
      print(Reproducer(check, number: 0, seed: 0).text)
      preconditionFailure("the parser and the judge disagree")
    }
  }

  static func corpus(_ seeds: SeedDocuments) -> [[UInt8]] {
    (seeds.small + seeds.large).enumerated().map { [UInt8($0 % 160), 6] + $1 }
  }
}
