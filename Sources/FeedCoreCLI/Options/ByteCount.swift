import ArgumentParser

/// A number of bytes in readable form: `500MB`, `2 GiB`, `1048576`.
struct ByteCount: ExpressibleByArgument {
  let bytes: Int

  /// The text in the help if it is the default.
  var defaultValueDescription: String {
    bytes > 0 && bytes % (1 << 20) == 0 ? "\(bytes >> 20)MiB" : "\(bytes)"
  }

  private static let units: [(name: String, bytes: Int)] = [
    ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("tib", 1 << 40),
    ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("tb", 1_000_000_000_000), ("b", 1),
  ]

  init(_ bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    let text = argument.lowercased()
    let unit = Self.units.first { text.hasSuffix($0.name) }
    var digits = text.dropLast(unit?.name.count ?? 0)
    if unit != nil, digits.last == " " { digits.removeLast() }
    guard let number = Int(digits), number >= 0 else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit?.bytes ?? 1)
    guard !overflow else { return nil }
    self.bytes = bytes
  }
}
