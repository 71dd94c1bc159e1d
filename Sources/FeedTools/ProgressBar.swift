/// The progress of an ingest, and the line that shows it.
package struct ProgressBar: Hashable, Sendable {
  /// The bytes read, decompressed.
  package var bytes: Int
  /// The bytes consumed of the files as stored. The percentage is computed from these.
  package var fileBytes: Int
  package var records: Int
  /// The size of all files, or nil if unknown, such as for a pipe.
  package var totalBytes: Int?
  package var elapsedSeconds: Double

  package init(
    bytes: Int, fileBytes: Int? = nil, records: Int, totalBytes: Int?, elapsedSeconds: Double
  ) {
    self.bytes = bytes
    self.fileBytes = fileBytes ?? bytes
    self.records = records
    self.totalBytes = totalBytes
    self.elapsedSeconds = elapsedSeconds
  }

  /// The line for a terminal of this width, always shorter than it, in ASCII.
  ///
  /// Parts that do not fit are omitted: first the bar, then the records, the bytes, the speed and
  /// the time left.
  package func line(columns: Int) -> String {
    // A character in the last column makes some terminals wrap.
    let width = columns - 1
    var parts = self.parts
    while !parts.isEmpty, Self.text(of: parts).utf8.count > width {
      guard let last = parts.map(\.priority).max() else { break }
      parts.removeAll { $0.priority == last }
    }
    let text = Self.text(of: parts)
    guard let fraction, !text.isEmpty else { return text }
    let bar = Self.bar(fraction, width: min(width - text.utf8.count - 2, 32))
    return bar.isEmpty ? text : "\(bar)  \(text)"
  }

  private struct Part {
    let text: String
    /// The part with the highest value is omitted first.
    let priority: Int
  }

  private var parts: [Part] {
    var parts: [Part] = []
    if let fraction {
      let percent = String(Int(fraction * 100))
      let padding = String(repeating: " ", count: 3 - percent.utf8.count)
      parts.append(Part(text: "\(padding)\(percent)%", priority: 0))
    }
    parts.append(Part(text: ReadableNumber.bytes(bytes), priority: 3))
    parts.append(Part(text: ReadableNumber.counted(records, "record"), priority: 4))
    if let bytesPerSecond = perSecond(bytes) {
      let speed = ReadableNumber.fixed(bytesPerSecond / 1e6, decimals: 0)
      parts.append(Part(text: "\(speed) MB/s", priority: 2))
    }
    if let totalBytes, let fileBytesPerSecond = perSecond(fileBytes) {
      let left = ReadableNumber.time(Double(max(totalBytes - fileBytes, 0)) / fileBytesPerSecond)
      parts.append(Part(text: "\(left) left", priority: 1))
    }
    return parts
  }

  private var fraction: Double? {
    guard let totalBytes, totalBytes > 0 else { return nil }
    return min(max(Double(fileBytes) / Double(totalBytes), 0), 1)
  }

  private func perSecond(_ count: Int) -> Double? {
    guard elapsedSeconds > 0, count > 0 else { return nil }
    return Double(count) / elapsedSeconds
  }

  private static func text(of parts: [Part]) -> String {
    parts.map(\.text).joined(separator: "  ")
  }

  /// `[=====>    ]`, or empty if a bar would be too short to be useful.
  private static func bar(_ fraction: Double, width: Int) -> String {
    let inside = width - 2
    guard inside >= 8 else { return "" }
    let filled = Int(fraction * Double(inside))
    let head = filled < inside ? ">" : ""
    let empty = inside - filled - head.utf8.count
    return "[" + String(repeating: "=", count: filled) + head
      + String(repeating: " ", count: empty) + "]"
  }
}
