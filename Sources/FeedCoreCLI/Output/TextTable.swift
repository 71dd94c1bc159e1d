import JSONStream

/// A table of any length: the first rows determine the column widths, and the others are printed as
/// they arrive.
final class TextTable {
  enum Alignment {
    case left
    case right
  }

  private static let gap = 2
  private static let minimumWidth = 6
  private static let rowsMeasured = 200
  /// On a terminal, longer cells are truncated before they are measured. Elsewhere this is the
  /// maximum width of a column; cells after a longer one are shifted.
  private static let maximumCellLength = 500
  /// Without truncation, rows beyond this size are not collected to be measured.
  private static let bytesMeasured = 1 << 20

  private let output: Output
  private let columns: Int?
  private let alignments: [Alignment]
  private var waiting: [[String]] = []
  private var waitingBytes = 0
  private var widths: [Int]?

  /// - Parameters:
  ///   - titles: the titles of the columns, with their alignments.
  ///   - columns: the width of the terminal, which rows do not exceed if possible. Nil to truncate
  ///     nothing.
  init(_ titles: [(String, Alignment)], columns: Int?, output: Output) {
    self.output = output
    self.columns = columns
    alignments = titles.map(\.1)
    waiting = [titles.map(\.0)]
  }

  /// Adds a row. Control characters are shown as escapes.
  func add(_ cells: [String]) {
    let row = cells.map(printable)
    if widths == nil {
      waiting.append(row)
      waitingBytes += row.reduce(0) { $0 + $1.utf8.count }
      if waiting.count > Self.rowsMeasured || waitingBytes > Self.bytesMeasured { settle() }
    } else {
      print(row)
    }
  }

  /// Prints the collected rows.
  func finish() {
    if widths == nil { settle() }
  }

  private func printable(_ cell: String) -> String {
    guard columns != nil else { return TerminalText.escaped(cell) }
    let start = cell.unicodeScalars.prefix(Self.maximumCellLength)
    let text = TerminalText.escaped(String(String.UnicodeScalarView(start)))
    return start.endIndex < cell.unicodeScalars.endIndex ? text + "…" : text
  }

  private func settle() {
    let natural = alignments.indices.map { column in
      waiting.reduce(0) { max($0, TextWidth.of($1[column])) }
    }
    widths = fitted(natural)
    for (index, row) in waiting.enumerated() { print(row, isHeading: index == 0) }
    waiting = []
  }

  /// Narrows the widest columns first, down to a minimum width.
  private func fitted(_ natural: [Int]) -> [Int] {
    guard let columns else { return natural.map { min($0, Self.maximumCellLength) } }
    let room = columns - Self.gap * (natural.count - 1)
    var cap = natural.max() ?? 0
    while cap > Self.minimumWidth, natural.reduce(0, { $0 + min($1, cap) }) > room { cap -= 1 }
    return natural.map { min($0, cap) }
  }

  private func print(_ row: [String], isHeading: Bool = false) {
    guard let widths else { return }
    var line = ""
    for (column, cell) in row.enumerated() {
      if column > 0 { line += String(repeating: " ", count: Self.gap) }
      let text = columns == nil ? cell : TextWidth.cut(cell, to: widths[column])
      let padding = String(repeating: " ", count: max(widths[column] - TextWidth.of(text), 0))
      let isLast = column == row.count - 1
      let shown = isHeading && columns != nil ? TerminalStyle.heading(text) : text
      line += alignments[column] == .right ? padding + shown : shown + (isLast ? "" : padding)
    }
    while line.last == " " { line.removeLast() }
    output.write(line + "\n")
  }
}

/// The number of terminal columns that a text occupies.
///
/// An approximation of Unicode's East Asian Width (UAX 11): wide characters and emoji occupy two
/// columns, combining marks none.
enum TextWidth {
  static func of(_ text: String) -> Int {
    text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + of($1) }
  }

  static func of(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return isWide(first) ? 2 : 1
    }
  }

  /// The text truncated to this number of columns, with an ellipsis in the last one if it is
  /// longer.
  static func cut(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    var result = ""
    var width = 0
    for character in text {
      width += of(character)
      guard width < columns else { break }
      result.append(character)
    }
    return columns > 0 ? result + "…" : ""
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}

/// Formats the age of a feed for people.
enum ReadableAge {
  /// `12 s`, `3 min`, `5 h`, `40 days`, rounded down; `in 3 h` for a date in the future.
  static func text(seconds: Double) -> String {
    guard seconds.magnitude < 1e15 else { return "-" }
    let text = span(Int(seconds.magnitude))
    return seconds < 0 ? "in \(text)" : text
  }

  private static func span(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min"
    case ..<86_400: "\(seconds / 3_600) h"
    case ..<172_800: "1 day"
    default: "\(seconds / 86_400) days"
    }
  }
}
