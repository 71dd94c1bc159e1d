/// A difference with everything needed to reproduce it.
struct Reproducer {
  private let document: [UInt8]
  private let limits: Limits
  private let differences: [String]
  private let number: Int
  private let seed: UInt64

  init(_ check: DocumentCheck, number: Int, seed: UInt64) {
    self.init(check.document, check.limits, check.differences, number: number, seed: seed)
  }

  init(_ check: ReplayCheck, number: Int, seed: UInt64) {
    self.init(check.document, check.limits, check.differences, number: number, seed: seed)
  }

  private init(
    _ document: [UInt8], _ limits: Limits, _ differences: [String], number: Int, seed: UInt64
  ) {
    self.document = document
    self.limits = limits
    self.differences = differences
    self.number = number
    self.seed = seed
  }

  var text: String {
    """
    DIFFERENCE in document \(number) of seed \(seed): --seed \(seed) --first \(number) --documents 1
      \(differences.joined(separator: "\n  "))
      limits: \(Self.text(of: limits))
      \(document.count) bytes: \(Self.printable(document))
      hex: \(Self.hexadecimal(document))

    """
  }

  // Only those that differ from the defaults.
  private static func text(of limits: Limits) -> String {
    let standard = Limits.standard
    let all: [(String, KeyPath<Limits, Int>)] = [
      ("depth", \.depth), ("recordBytes", \.recordBytes), ("stringBytes", \.stringBytes),
      ("keyBytes", \.keyBytes), ("numberBytes", \.numberBytes), ("siblingBytes", \.siblingBytes),
      ("listElements", \.listElements),
    ]
    let changed = all.filter { limits[keyPath: $0.1] != standard[keyPath: $0.1] }
    if changed.isEmpty { return "standard" }
    return changed.map { "\($0.0) \(limits[keyPath: $0.1])" }.joined(separator: ", ")
  }

  private static func printable(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      switch byte {
      case 0x5C: "\\\\"
      case 0x0A: "\\n"
      case 0x20..<0x7F: String(Unicode.Scalar(byte))
      default: "\\x" + hexadecimal(byte)
      }
    }.joined()
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map(hexadecimal).joined()
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
